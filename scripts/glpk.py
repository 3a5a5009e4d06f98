"""Solves linear programs with GLPK's simplex method, through its C library: an objective to compare others with."""

import ctypes
import ctypes.util


class Parameters(ctypes.Structure):
    """glp_smcp of glpk.h, GLPK 4.65 to 5.0."""

    _fields_ = [("msg_lev", ctypes.c_int), ("meth", ctypes.c_int), ("pricing", ctypes.c_int), ("r_test", ctypes.c_int),
                ("tol_bnd", ctypes.c_double), ("tol_dj", ctypes.c_double), ("tol_piv", ctypes.c_double),
                ("obj_ll", ctypes.c_double), ("obj_ul", ctypes.c_double), ("it_lim", ctypes.c_int),
                ("tm_lim", ctypes.c_int), ("out_frq", ctypes.c_int), ("out_dly", ctypes.c_int),
                ("presolve", ctypes.c_int), ("excl", ctypes.c_int), ("shift", ctypes.c_int), ("aorn", ctypes.c_int),
                ("reserved", ctypes.c_double * 33)]


OPTIMAL, MAXIMIZE, DUAL_THEN_PRIMAL, DECK, FREE = 5, 2, 2, 1, 2


def objective(path, maximize=False, seconds=60):
    """The optimal objective of the relaxation of an MPS file; None if GLPK is absent, cannot read the file, or finds
    no optimum in time."""
    name = ctypes.util.find_library("glpk")
    if not name:
        return None
    glpk = ctypes.CDLL(name)
    glpk.glp_create_prob.restype = ctypes.c_void_p
    glpk.glp_get_obj_val.restype = ctypes.c_double
    glpk.glp_term_out(0)
    problem = ctypes.c_void_p(glpk.glp_create_prob())
    try:
        if all(glpk.glp_read_mps(problem, form, None, path.encode()) for form in (FREE, DECK)):
            return None
        if maximize:
            glpk.glp_set_obj_dir(problem, MAXIMIZE)
        parameters = Parameters()
        glpk.glp_init_smcp(ctypes.byref(parameters))
        parameters.msg_lev, parameters.meth, parameters.presolve = 0, DUAL_THEN_PRIMAL, 1
        parameters.tm_lim = int(1000 * seconds)
        solved = glpk.glp_simplex(problem, ctypes.byref(parameters)) == 0 and glpk.glp_get_status(problem) == OPTIMAL
        return glpk.glp_get_obj_val(problem) if solved else None
    finally:
        glpk.glp_delete_prob(problem)
