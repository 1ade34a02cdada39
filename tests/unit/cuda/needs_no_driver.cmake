# Fails when one of PROGRAMS names a CUDA library among those it needs in order to start. The
# driver's is the one that is missing on other machines; the runtime's would be missing without a
# toolkit.
foreach(program IN LISTS PROGRAMS)
  execute_process(COMMAND "${READELF}" -d "${program}" OUTPUT_VARIABLE dynamic
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "NEEDED.*libstdc[+][+]")
    message(FATAL_ERROR "${program}: readelf -d names no C++ library, so it was not understood")
  endif()
  if(dynamic MATCHES "NEEDED[^\n]*(libcuda[a-z]*[.]so[^]]*)")
    message(FATAL_ERROR "${program} needs ${CMAKE_MATCH_1} to start; link the static CUDA runtime "
                        "only, and reach the driver through it")
  endif()
  message(STATUS "${program}: needs no CUDA library to start")
endforeach()
