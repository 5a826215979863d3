/* SPDX-License-Identifier: Apache-2.0 */
/* A library that could lock and allocate, and does when it is asked to. */
#include <pthread.h>
#include <stdlib.h>

int has_imports_run(int times);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) int has_imports_run(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        void *volatile memory = malloc(10);
        free(memory);
        pthread_mutex_unlock(&mutex);
    }
    return times;
}
