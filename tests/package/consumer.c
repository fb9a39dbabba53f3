/* consumer.c: a program of somebody else, as C99 and as C++17: calls each library that it is linked
 * with, and works without any device. */
#include <stdio.h>
#include <string.h>

#include <sparcl/sparcl.h>

#ifdef USE_SPARCL_TRAIN
#include <sparcl/train.h>

/* A file that is not there is refused with a sentence, not with a crash. */
static int call_train(void) {
    sparcl_data *data = NULL;
    sparcl_error error;
    memset(&error, 0, sizeof error);
    const sparcl_status status = sparcl_data_read(&data, "no/such/file", NULL, &error);
    sparcl_data_free(data);
    return status == SPARCL_E_IO && error.message[0] != '\0' ? 0 : 1;
}
#else
static int call_train(void) {
    return 0;
}
#endif

static int call_core(void) {
    sparcl_device_list list;
    sparcl_error error;
    memset(&list, 0, sizeof list);
    memset(&error, 0, sizeof error);
    if (sparcl_device_list_get(&list, NULL, &error) != SPARCL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%d devices\n", list.device_count);
    sparcl_device_list_free(&list);
    return strcmp(sparcl_status_name(SPARCL_E_SHAPE), "SPARCL_E_SHAPE") != 0;
}

int main(void) {
    printf("sparcl %s\n", sparcl_version());
    return call_core() || call_train();
}
