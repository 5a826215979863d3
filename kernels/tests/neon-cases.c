/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product cases on AArch64, without a test framework: it need not exist for that architecture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product-cases.h"
#include "small/tests/small-cases.h"

int main(void)
{
    enum fl_isa isa = FL_ISA_COUNT;
    struct fl_err err = {""};

    if (fl_isa_choose("auto", &isa, &err) || isa != FL_ISA_NEON) {
        fprintf(stderr, "want NEON, got '%s' %s\n", fl_isa_name(isa), err.text);
        return EXIT_FAILURE;
    }
    for (int single = 0; single < 2; single++) {
        if (product_edges(FL_ISA_NEON, single, 30) ||
            product_cases(FL_ISA_NEON, single, 40, 1500) ||
            product_cases(FL_ISA_NEON, single, 120, 20) ||
            product_cases(FL_ISA_PORTABLE, single, 40, 300) || small_cases(FL_ISA_NEON, single) ||
            small_cases(FL_ISA_PORTABLE, single))
            return EXIT_FAILURE;
    }
    printf("all products equal the reference\n");
    return EXIT_SUCCESS;
}
