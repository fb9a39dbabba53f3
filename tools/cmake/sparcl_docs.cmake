# The reference of the API, by Doxygen: the target docs. It is a part of all with SPARCL_DOCS.
block()
  find_package(Doxygen QUIET)
  if(SPARCL_DOCS AND NOT DOXYGEN_FOUND)
    message(FATAL_ERROR "SPARCL_DOCS is ON: expected Doxygen, found none. Install doxygen, or set SPARCL_DOCS=OFF.")
  endif()
  # The pages that headers refer to, and those that belong to them.
  set(pages api dataflow embedding exact-lazy glossary numerics optimizers planning stability tuning)
  list(JOIN pages "," SPARCL_DOCS_NAMES)
  list(TRANSFORM pages REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/docs/\\1.md")
  list(TRANSFORM pages REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE quoted)
  list(JOIN quoted " " SPARCL_DOCS_PAGES)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
  if(DOXYGEN_FOUND)
    set(all)
    if(SPARCL_DOCS)
      set(all ALL)
    endif()
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sparcl/*.h ${PROJECT_SOURCE_DIR}/include/sparcl/ops/*.h)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/docs/html/index.html
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/docs/html
      COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/docs/Doxyfile
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DEPENDS ${pages} ${headers} ${PROJECT_BINARY_DIR}/docs/Doxyfile ${PROJECT_SOURCE_DIR}/tools/dev/doxygen_filter.awk
        ${PROJECT_SOURCE_DIR}/tools/dev/doxygen_pages.awk
      COMMENT "The reference of the API: docs/html/index.html" VERBATIM)
    add_custom_target(docs ${all} DEPENDS ${PROJECT_BINARY_DIR}/docs/html/index.html)
  endif()
endblock()
