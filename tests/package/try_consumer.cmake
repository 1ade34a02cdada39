# Configures, builds and runs the consumer project against bfc, from nothing each time.
set(work "${BUILD_DIR}/tests/package/${WAY}")
file(REMOVE_RECURSE "${work}")
set(arguments -G Ninja -S "${SOURCE_DIR}/tests/package/consumer" -B "${work}/build"
              -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
              -D CMAKE_BUILD_TYPE=Debug)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed with ${result}: ${ARGV}")
  endif()
endfunction()

if(WAY STREQUAL "installed")
  run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --config ${CONFIG} --prefix "${work}/prefix")
  run("${CMAKE_COMMAND}" ${arguments} -D CMAKE_PREFIX_PATH=${work}/prefix)
elseif(WAY STREQUAL "subdirectory")
  run("${CMAKE_COMMAND}" ${arguments} -D BFC_CONSUMER_SUBDIRECTORY=${SOURCE_DIR}
      -D BUILD_SHARED_LIBS=ON -D BFC_CUDA=OFF)
else()
  message(FATAL_ERROR "WAY is '${WAY}'; it must be installed or subdirectory")
endif()
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/consumer")
