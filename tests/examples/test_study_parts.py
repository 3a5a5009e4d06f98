"""Parts of examples/study without a whole study: profiles, phases, failures as pictures, choices, sequences, the bar."""

import io
import os
import unittest

# Its first lines find the modules of the study, too.
from test_study import PROGRAMS, SETTING, configuration, numpy, saddle_point

import all_runs
import configurations
import one_run
from support import ExampleTest, main
from systems import System

if numpy:
    import pictures
    import sequences
    import structure_pictures
    import system_pictures


@unittest.skipUnless(numpy, "this Python has no Matplotlib, NumPy or Pillow")
class Parts(ExampleTest):
    def test_profile(self):
        steps = pictures.profile({"a": [1.0, 4.0, None], "b": [2.0, 2.0, None], "c": [None, None, None]})
        self.assertEqual(steps["a"], ([1.0, 2.0], [1 / 3, 2 / 3]))
        self.assertEqual(steps["b"], ([1.0, 2.0], [1 / 3, 2 / 3]))
        self.assertEqual(steps["c"], ([], []))

    def test_phases_add_up(self):
        stage = {"setup_wall": 2.0, "solve_wall": 1.0, "setup_processor": 1.0, "solve_processor": 0.5, "analysis": 0.5,
                 "factorization": 1.0, "application": 0.25}
        self.assertEqual(system_pictures.phases(stage, "wall"), (0.5, 1.0, 0.5, 0.25, 0.75))
        self.assertEqual(system_pictures.phases(stage, "processor"), (0.25, 0.5, 0.25, 0.125, 0.375))

    def test_failures_are_drawn(self):
        # Every run has failed: there are no times to draw, and reasons in their place.
        system = System("tried", "nothing", self.file("m.mtx", saddle_point()), kind="indefinite")
        tried = configuration("-pc_type no_such_type")
        result = {**one_run.run_one(system, tried, SETTING), "commit": ""}
        import study
        whole = study.Study([system], [tried], [result], SETTING, "wall", "", [], "", "", self.folder)
        os.makedirs(whole.pictures)
        drawn = [pictures.draw_overview(whole, "symmetric", ("indefinite",)),
                 pictures.draw_profile(whole, "symmetric", ("indefinite",)), system_pictures.draw(whole, system)]
        self.assertEqual([os.path.getsize(picture.path) > 2000 for picture in drawn], [True] * 3)
        self.assertEqual(pictures.short_reason(result), "error")

    def test_a_structure_that_fails(self):
        import study
        system = System("tried", "nothing", self.path("absent.mtx"))
        whole = study.Study([system], [], [], SETTING, "wall", "", [], "", "", self.folder)
        self.assertEqual(structure_pictures.draw_all(whole), [])
        self.assertIn("absent.mtx", whole.notes[0])

    def test_chosen(self):
        def names(text, without=""):
            return [c.name for c in configurations.chosen(PROGRAMS, text, [], without)[0]]

        self.assertEqual(names("klu, mumps"), ["mumps ldlt", "mumps lu", "klu"])
        self.assertEqual(names("klu,mumps", "ldlt"), ["mumps lu", "klu"])
        self.assertEqual(set(names("")) - set(names("", "mumps")), {"mumps ldlt", "mumps lu"})

    def test_two_configurations_of_one_name(self):
        with self.assertRaisesRegex(SystemExit, "same name"):
            configurations.chosen(PROGRAMS, "klu", ["klu=-pc_type none"])

    def test_tiles_of_a_part(self):
        blocks = {"block_start": numpy.array([0, 4, 6, 10]), "tile_row": numpy.array([0]), "tile_column": numpy.array([2])}
        canvas = structure_pictures.Canvas(10, 5)
        canvas.tiles(blocks, [1], [7, 8, 9])
        self.assertEqual(canvas.image.tolist(), [[8, 0, 0, 0, 0]] + 4 * [[0, 9, 9, 9, 9]])

    def test_sequences(self):
        def matrix(value):
            return (numpy.array([sequences.MAT_FILE_CLASSID, 2, 2, 2, 1, 1, 0, 1], ">i4").tobytes() +
                    numpy.array([value, 1.0], ">f8").tobytes())

        whole = self.file("whole", b"".join(matrix(v) for v in (1, 1, 2, 3, 3, 3, 4)))
        sequences.split(whole, self.path("part"), {"early": 0, "late": 1})
        self.assertFalse(os.path.exists(whole))
        for name, value in (("early.1", 1), ("early.2", 2), ("late.1", 3), ("late.2", 4)):
            with open(self.path(f"part.{name}.bin"), "rb") as f:
                self.assertEqual(f.read(), matrix(value))


class ProgressLines(unittest.TestCase):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def test_lines(self):
        out = io.StringIO()
        progress = all_runs.Progress(2, out)
        progress.starts("a")
        progress.ends("a", "solved")
        self.assertEqual(out.getvalue(), "[1/2] a: solved\n")

    def test_bar(self):
        out = self.Terminal()
        progress = all_runs.Progress(2, out)
        progress.ends("a", "solved")
        progress.starts("b")
        self.assertIn("[############............] 1/2 ", out.getvalue())
        self.assertNotIn("\n", out.getvalue())


if __name__ == "__main__":
    main()
