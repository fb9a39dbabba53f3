# What is installed, how other projects find it (CMake package, pkg-config), and the source package.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sparcl)

# Each library is an export set of its own: what a static library needs must be found only by those
# who link it.
function(sparcl_install_library target export)
  install(TARGETS ${target} EXPORT ${export}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT ${export} NAMESPACE sparcl:: FILE ${export}.cmake DESTINATION ${package_dir})
endfunction()

# A .pc file may be moved together with its tree: the prefix is found from its own place.
function(sparcl_install_pc name)
  configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

foreach(kind INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
    set(pc_${kind} ${CMAKE_INSTALL_${kind}})
  else()
    set(pc_${kind} \${prefix}/${CMAKE_INSTALL_${kind}})
  endif()
endforeach()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(pc_prefix \${pcfiledir}/${pc_prefix})
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
endif()
set(pc_clblast)
if(TARGET clblast)
  set(pc_clblast clblast)
endif()

set(left_out)
if(NOT SPARCL_TRAIN)
  set(left_out REGEX "/(data|data_read|model|train)\\.h$" EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sparcl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h ${left_out})
sparcl_install_library(sparcl_shared sparcl-shared)
sparcl_install_library(sparcl_static sparcl-static)
sparcl_install_pc(sparcl)
if(SPARCL_TRAIN)
  sparcl_install_library(sparcl_train_shared sparcl-train-shared)
  sparcl_install_library(sparcl_train_static sparcl-train-static)
  sparcl_install_pc(sparcl-train)
endif()
# Our own binaries find our libraries wherever the tree stands, and have the same RUNPATH in the build tree: one that CMake changes at
# installation ends with an empty element before, which is the current folder.
function(sparcl_find_libraries target)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${ARGN};${CMAKE_INSTALL_RPATH}")
endfunction()

sparcl_find_libraries(sparcl_shared)
if(SPARCL_TRAIN)
  sparcl_find_libraries(sparcl_train_shared "\$ORIGIN")
endif()
if(SPARCL_TOOL)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_BINDIR})
    sparcl_find_libraries(sparcl "\$ORIGIN" ${CMAKE_INSTALL_FULL_LIBDIR})
  else()
    file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    sparcl_find_libraries(sparcl "\$ORIGIN" "\$ORIGIN/${to_libraries}")
  endif()
  install(TARGETS sparcl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(SPARCL_REFERENCE)
    install(DIRECTORY ${SPARCL_REFERENCE}/man1 ${SPARCL_REFERENCE}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR}
      FILES_MATCHING PATTERN *.1 PATTERN *.7)
    install(FILES ${SPARCL_REFERENCE}/sparcl.bash RENAME sparcl
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${SPARCL_REFERENCE}/_sparcl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${SPARCL_REFERENCE}/sparcl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
# As they stand in the sources, so that links lead from one to the other; the data of the examples are not ours to hand on.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  ${PROJECT_SOURCE_DIR}/third_party/uplot/uPlot.LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN docs/progress EXCLUDE PATTERN Doxyfile.in EXCLUDE
  PATTERN examples/data EXCLUDE PATTERN examples/CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)

install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/sparcl_config.cmake.in
  ${PROJECT_BINARY_DIR}/sparclConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparclConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparclConfig.cmake ${PROJECT_BINARY_DIR}/sparclConfigVersion.cmake
  DESTINATION ${package_dir})

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_SOURCE_GENERATOR TXZ)
  set(CPACK_SOURCE_PACKAGE_FILE_NAME sparcl-${PROJECT_VERSION})
  # The data sets are for tests and demonstrations, and not ours to hand on: examples/data/README.md.
  set(CPACK_SOURCE_IGNORE_FILES "/[.]git/" ^${PROJECT_SOURCE_DIR}/build/ ^${PROJECT_SOURCE_DIR}/out/ /examples/data/)
  include(CPack)
endif()
