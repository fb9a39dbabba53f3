# libsparcl-train: readers, models and the training loop; sees only the core's public headers.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

get_property(train_sources GLOBAL PROPERTY SPARCL_TRAIN_SOURCES)
add_library(sparcl_train_objects OBJECT ${train_sources})
sparcl_common(sparcl_train_objects)
target_compile_definitions(sparcl_train_objects PRIVATE SPARCL_BUILD)
target_link_libraries(sparcl_train_objects PRIVATE
  PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads)

add_library(sparcl_train_shared SHARED
  $<TARGET_OBJECTS:sparcl_train_objects> $<TARGET_OBJECTS:sparcl_base>)
add_library(sparcl_train_static STATIC $<TARGET_OBJECTS:sparcl_train_objects>)
target_link_libraries(sparcl_train_shared PUBLIC sparcl_shared
  PRIVATE PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads m)
target_link_libraries(sparcl_train_static PUBLIC sparcl_static
  PRIVATE PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads m)
set_target_properties(sparcl_train_shared sparcl_train_static PROPERTIES
  OUTPUT_NAME sparcl-train LINKER_LANGUAGE C)
set_target_properties(sparcl_train_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${SPARCL_SOVERSION} EXPORT_NAME train)
set_target_properties(sparcl_train_static PROPERTIES EXPORT_NAME train_static)
add_library(sparcl::train ALIAS sparcl_train_shared)
add_library(sparcl::train_static ALIAS sparcl_train_static)
