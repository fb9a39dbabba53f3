"""Print tests/support/golden_schedules.h: the factors of PyTorch's schedulers, for tests/model/test_schedule.c.

    python3 bench/golden/golden_schedules.py > tests/support/golden_schedules.h
"""
import torch
from torch.optim import lr_scheduler as schedulers

STEPS = 40
SEQUENCES = [
    ("constant:warmup=7", 0, 7, 1 / 3, lambda o: schedulers.ConstantLR(o, factor=1.0, total_iters=0)),
    ("step:period=6,gamma=0.5", 0, 0, 0, lambda o: schedulers.StepLR(o, 6, 0.5)),
    ("step:period=9", 0, 0, 0, lambda o: schedulers.StepLR(o, 9)),
    ("exponential:gamma=0.93", 0, 0, 0, lambda o: schedulers.ExponentialLR(o, 0.93)),
    ("exponential:gamma=0.93,warmup=5,warmup_start=0.1", 0, 5, 0.1, lambda o: schedulers.ExponentialLR(o, 0.93)),
    ("cosine", STEPS, 0, 0, lambda o: schedulers.CosineAnnealingLR(o, STEPS)),
    ("cosine:period=39,end=0.2", 0, 0, 0, lambda o: schedulers.CosineAnnealingLR(o, 39, 0.2)),
    ("cosine:warmup=10", STEPS, 10, 1 / 3, lambda o: schedulers.CosineAnnealingLR(o, STEPS - 10)),
    ("polynomial", STEPS, 0, 0, lambda o: schedulers.PolynomialLR(o, STEPS)),
    ("polynomial:period=20,power=0.9", 0, 0, 0, lambda o: schedulers.PolynomialLR(o, 20, 0.9)),
    ("polynomial:warmup=8,power=2", STEPS, 8, 1 / 3, lambda o: schedulers.PolynomialLR(o, STEPS - 8, 2)),
]


def factors(warmup, start, make):
    """The rates of an optimizer whose own rate is 1."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = make(optimizer)
    if warmup:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        first = schedulers.LinearLR(optimizer, start_factor=start, total_iters=warmup)
        scheduler = schedulers.SequentialLR(optimizer, [first, make(optimizer)], milestones=[warmup])
    found = []
    for _ in range(STEPS):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


print("/* golden_schedules.h: factors of the schedulers of PyTorch " + torch.__version__.split("+")[0] + ". Printed by")
print(" * bench/golden/golden_schedules.py. */")
print("#ifndef TESTS_GOLDEN_SCHEDULES_H\n#define TESTS_GOLDEN_SCHEDULES_H\n")
print("#include <stdint.h>\n")
print("enum { GOLDEN_STEPS = " + str(STEPS) + " };\n")
print("static const struct {\n    const char *text;\n    int64_t total;\n    double factor[GOLDEN_STEPS];")
print("} schedule_golden[] = {")
for text, total, warmup, start, make in SEQUENCES:
    print('    {"' + text + '",')
    print("     " + str(total) + ",")
    print("     {" + ", ".join(repr(x) for x in factors(warmup, start, make)) + "}},")
print("};\n\n#endif")
