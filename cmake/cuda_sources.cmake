# tessera_cuda_sources(FILES...): sources of kernels in this folder. Where CUDA is emulated they are C++.
function(tessera_cuda_sources)
  if(TESSERA_EMULATED_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()
