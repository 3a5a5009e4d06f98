"""Files that cannot be read: one line that says what is wrong and where, and exit status 1."""

import gzip
import struct

from support import DIRECT, SADDLE, ExampleTest, array_market, main, matrix_market

GOOD = matrix_market(SADDLE, 4)


class Malformed(ExampleTest):
    def check(self, content, says, name="m.mtx"):
        self.refused("solve", "-f", self.file(name, content), says=says)

    def test_missing_file(self):
        self.refused("solve", "-f", self.path("none.mtx"), says="none.mtx: cannot open: No such file")

    def test_no_file_named(self):
        self.refused("solve", says="-f FILE")

    def test_folder(self):
        self.refused("solve", "-f", self.folder, says="cannot read: Is a directory")

    def test_empty_file(self):
        self.check("", "m.mtx: the file is empty")

    def test_wrong_header(self):
        self.check("hello\n1 1 1\n1 1 1\n", "m.mtx:1: not a Matrix Market file")

    def test_dense_matrix(self):
        self.check(array_market([1.0]), "m.mtx:1: expected format 'coordinate', found 'array'")

    def test_complex_matrix(self):
        self.check("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "field 'complex'")

    def test_hermitian_matrix(self):
        self.check("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "symmetry 'hermitian'")

    def test_no_size_line(self):
        self.check("%%MatrixMarket matrix coordinate real general\n% nothing\n", "ends before the line of sizes")

    def test_short_size_line(self):
        self.check("%%MatrixMarket matrix coordinate real general\n4 4\n", "m.mtx:2: expected a line of 3 sizes")

    def test_negative_size(self):
        self.check("%%MatrixMarket matrix coordinate real general\n4 -4 1\n", "m.mtx:2: size -4 is negative")

    def test_huge_count(self):
        self.check("%%MatrixMarket matrix coordinate real general\n2 2 9000000000000000000\n1 1 1\n",
                   "ends after 1 of 9000000000000000000 entries")

    def test_truncated(self):
        self.check("\n".join(GOOD.split("\n")[:6]) + "\n", "m.mtx:6: the file ends after 3 of 7 entries")

    def test_cut_inside_a_line(self):
        self.check(GOOD[:-5], "m.mtx:10: expected row, column and a finite value, found '4 1'")

    def test_too_many_entries(self):
        self.check(GOOD + "4 3 1.0\n", "m.mtx:11: more than the 7 entries")

    def test_text_behind_an_entry(self):
        self.check(GOOD.replace("4 1 0.5", "4 1 0.5 7"), "m.mtx:10: expected row")

    def test_not_finite(self):
        for value in ("nan", "inf", "-inf", "1e999"):
            self.check(GOOD.replace("2 2 3.0", f"2 2 {value}"), "m.mtx:6: expected row, column and a finite value")

    def test_index_out_of_range(self):
        for entry in ("5 1 0.5", "0 1 0.5"):
            self.check(GOOD.replace("4 1 0.5", entry), "is outside the matrix of 4 rows and 4 columns")

    def test_both_triangles(self):
        self.check(GOOD.replace("4 1 0.5", "1 3 2.0"), "m.mtx:10: entry (1, 3) is in the other triangle")

    def test_skew_diagonal(self):
        self.check(matrix_market([(1, 1, 1.0)], 2, symmetry="skew-symmetric"), "m.mtx:4: a skew-symmetric matrix")

    def test_symmetric_rectangle(self):
        self.check(matrix_market([(1, 1, 1.0)], 2, 3), "a symmetric matrix is square, not 2 by 3")

    def test_rectangle(self):
        self.check(matrix_market([(1, 1, 1.0)], 2, 3, symmetry="general"), "the matrix has 2 rows and 3 columns")

    def test_truncated_gzip(self):
        whole = gzip.compress((GOOD + "% filler\n" * 1000).encode())
        self.check(whole[:-12], "the compressed file is truncated", "m.mtx.gz")

    def test_damaged_gzip(self):
        whole = bytearray(gzip.compress((GOOD + "% filler\n" * 1000).encode()))
        whole[-8] ^= 255
        self.check(bytes(whole), "the compressed file is damaged", "m.mtx.gz")

    def test_truncated_binary(self):
        matrix, binary = self.file("m.mtx", GOOD), self.path("m.bin")
        self.solved("solve", "-f", matrix, *DIRECT, "-write_matrix", binary)
        with open(binary, "rb") as f:
            self.check(f.read()[:-20], "end of file", "short.bin")

    def check_binary(self, numbers, says):
        """A matrix in PETSc's binary form: rows, columns, entries, lengths of rows, columns of entries."""
        content = struct.pack(f">{len(numbers) + 1}i", 1211216, *numbers)
        self.check(content + struct.pack(">3d", 1, 2, 3), says, "m.bin")

    def test_binary_column(self):
        self.check_binary((2, 2, 3, 2, 1, 0, 1, 5), "m.bin: entry 3 is in column 5 of 2")

    def test_binary_negative_row(self):
        self.check_binary((2, 2, 1, 2, -1, 0), "m.bin: row 2 of 2 columns has -1 entries")

    def test_binary_long_row(self):
        self.check_binary((2, 2, 3, 3, 0, 0, 1, 1), "m.bin: row 1 of 2 columns has 3 entries")

    def test_binary_sum(self):
        self.check_binary((2, 2, 3, 1, 1, 0, 1, 1), "m.bin: rows of 2 entries in a matrix of 3")

    def test_binary_no_entries(self):
        self.check_binary((2, 2, -1), "m.bin: not a sparse matrix: 2 rows, 2 columns, -1 entries")

    def test_binary_without_columns(self):
        self.check_binary((2, 2, 2000000000, 1, 1), "m.bin: the file ends before the columns of its 2000000000 entries")


class BadVectors(ExampleTest):
    def check(self, content, says):
        matrix = self.file("m.mtx", GOOD)
        self.refused("solve", "-f", matrix, "-rhs", self.file("b.mtx", content), says=says)

    def test_wrong_length(self):
        self.check(array_market([1.0] * 3), "b.mtx: 3 values for a matrix of 4 rows")

    def test_truncated(self):
        self.check("%%MatrixMarket matrix array real general\n4 1\n1\n2\n", "b.mtx:4: the file ends after 2 of 4 values")

    def test_two_columns(self):
        self.check("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "b.mtx:2: expected 1 column, found 2")

    def test_not_finite(self):
        self.check(array_market([1.0, float("nan"), 1.0, 1.0]), "b.mtx:4: expected one finite value, found 'nan'")

    def test_matrix_as_vector(self):
        self.check(GOOD, "b.mtx:1: expected format 'array', found 'coordinate'")

    def test_missing(self):
        matrix = self.file("m.mtx", GOOD)
        self.refused("solve", "-f", matrix, "-exact", self.path("x"), says="x: cannot open")


class BadOptions(ExampleTest):
    def test_unknown_method(self):
        matrix = self.file("m.mtx", GOOD)
        self.refused("solve", "-f", matrix, "-ksp_type", "nonsense", says="Unable to find requested KSP type nonsense")

    def test_not_a_number(self):
        self.refused("solve", "-f", self.file("m.mtx", GOOD), "-ksp_rtol", "small", says="small")

    def test_negative_repeat(self):
        self.refused("solve", "-f", self.file("m.mtx", GOOD), "-repeat", -1, says="-repeat -1")

    def test_sbaij_needs_symmetry(self):
        matrix = self.file("m.mtx", matrix_market([(1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0)], 2, symmetry="general"))
        self.refused("solve", "-f", matrix, "-mat_type", "sbaij", says="-mat_type sbaij needs a symmetric matrix")

    def test_unwritable_solution(self):
        self.refused("solve", "-f", self.file("m.mtx", GOOD), *DIRECT, "-write", self.path("none/x.mtx"),
                     says="none/x.mtx: cannot write: No such file")


if __name__ == "__main__":
    main()
