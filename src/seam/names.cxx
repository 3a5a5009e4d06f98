/*
   Names of the enumerations of tessera.h, as PetscOptionsEnum() takes them.
*/
#include "tessera.h"

const char *const TesseraBackends[] = {"auto", "host", "cuda", "TesseraBackend", "TESSERA_BACKEND_", nullptr};
const char *const TesseraPreprocessings[] = {
    "matching", "equilibrate", "none", "TesseraPreprocessing", "TESSERA_PREPROCESSING_", nullptr};
const char *const TesseraOrderings[] = {
    "auto", "natural", "amd", "nd", "metis", "rcm", "color", "TesseraOrdering", "TESSERA_ORDERING_", nullptr};
const char *const TesseraBlockings[] = {"sn",   "br", "rb", "rbr", "grid", "TesseraBlocking", "TESSERA_BLOCKING_",
                                        nullptr};
const char *const PCBILDLTPivotings[] = {"none", "bunch_kaufman", "rook", "PCBILDLTPivoting", "PC_BILDLT_PIVOTING_",
                                         nullptr};
const char *const PCBILDLTPrecisions[] = {"auto", "double", "single", "PCBILDLTPrecision", "PC_BILDLT_PRECISION_",
                                          nullptr};
const char *const PCJLDLTPivotings[] = {
    "none", "bunch_kaufman", "rook", "full", "PCJLDLTPivoting", "PC_JLDLT_PIVOTING_", nullptr};
const char *const PCJLDLTApplies[] = {"levels", "jacobi", "PCJLDLTApply", "PC_JLDLT_APPLY_", nullptr};
