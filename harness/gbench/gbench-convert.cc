/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The enumerations of the C header and of Google Benchmark, one into the other.
 */
#include "gbench-internal.hh"

using benchmark::Counter;

benchmark::TimeUnit fl_unit_to_library(enum fl_unit unit)
{
    switch (unit) {
    case FL_MICROSECOND:
        return benchmark::kMicrosecond;
    case FL_MILLISECOND:
        return benchmark::kMillisecond;
    case FL_SECOND:
        return benchmark::kSecond;
    case FL_NANOSECOND:
        break;
    }
    return benchmark::kNanosecond;
}

enum fl_unit fl_unit_from_library(benchmark::TimeUnit unit)
{
    switch (unit) {
    case benchmark::kMicrosecond:
        return FL_MICROSECOND;
    case benchmark::kMillisecond:
        return FL_MILLISECOND;
    case benchmark::kSecond:
        return FL_SECOND;
    case benchmark::kNanosecond:
        break;
    }
    return FL_NANOSECOND;
}

namespace
{

struct order_pair {
    enum fl_big_o ours;
    benchmark::BigO theirs;
};

constexpr order_pair orders[] = {
    {FL_O_NONE, benchmark::oNone},
    {FL_O_1, benchmark::o1},
    {FL_O_N, benchmark::oN},
    {FL_O_N_SQUARED, benchmark::oNSquared},
    {FL_O_N_CUBED, benchmark::oNCubed},
    {FL_O_LOG_N, benchmark::oLogN},
    {FL_O_N_LOG_N, benchmark::oNLogN},
    {FL_O_AUTO, benchmark::oAuto},
    {FL_O_LAMBDA, benchmark::oLambda},
};

struct flag_pair {
    unsigned ours;
    Counter::Flags theirs;
};

constexpr flag_pair flags_of_one_bit[] = {
    {FL_COUNTER_RATE, Counter::kIsRate},
    {FL_COUNTER_AVG_THREADS, Counter::kAvgThreads},
    {FL_COUNTER_PER_ITERATION, Counter::kIsIterationInvariant},
    {FL_COUNTER_AVG_ITERATIONS, Counter::kAvgIterations},
    {FL_COUNTER_INVERT, Counter::kInvert},
};

} // namespace

benchmark::BigO fl_big_o_to_library(enum fl_big_o order)
{
    for (const order_pair &pair : orders)
        if (pair.ours == order)
            return pair.theirs;
    return benchmark::oNone;
}

enum fl_big_o fl_big_o_from_library(benchmark::BigO order)
{
    for (const order_pair &pair : orders)
        if (pair.theirs == order)
            return pair.ours;
    return FL_O_NONE;
}

benchmark::Counter fl_counter_to_library(double value, unsigned flags, enum fl_counter_k k)
{
    Counter::Flags theirs = Counter::kDefaults;
    for (const flag_pair &pair : flags_of_one_bit)
        if (flags & pair.ours)
            theirs = theirs | pair.theirs;
    return Counter(value, theirs, k == FL_K_1024 ? Counter::kIs1024 : Counter::kIs1000);
}

unsigned fl_counter_flags_from_library(Counter::Flags flags)
{
    unsigned ours = FL_COUNTER_PLAIN;
    for (const flag_pair &pair : flags_of_one_bit)
        if (flags & pair.theirs)
            ours |= pair.ours;
    return ours;
}
