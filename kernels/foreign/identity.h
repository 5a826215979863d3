/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identity: which library was really loaded, and what it says of itself.
 *
 * An alias in a key may lead to another file tomorrow; these facts are what tells two such samples
 * apart. Read from the image in memory and by calling the library's own functions, so that they
 * hold for what runs rather than for what lies on the disk.
 */
#ifndef FL_IDENTITY_H
#define FL_IDENTITY_H

#include "faultline/facts.h"
#include "faultline/library.h"

struct fl_identity {
    enum fl_library_family family;
    const char *core; /* what it says it runs on (`Haswell`, `skx`, `avx2`); NULL: says nothing */
    const char *version; /* as it spells it itself; NULL: says nothing */
    long threads;        /* how many threads it would use; 0: says nothing */
};

/*
 * Asks a loaded library. May initialise it (BLIS chooses its core on the first such call). Strings
 * belong to the library.
 */
void fl_identify(void *handle, struct fl_identity *out);

/*
 * Records the facts library-path (resolved), library-soname, library-build-id, library-version,
 * library-core and library-threads; what is not known is left out. 0, or -E2BIG.
 */
int fl_identity_record(void *handle, const struct fl_identity *identity,
                       struct fl_facts *facts) FL_MUST_CHECK;

#endif
