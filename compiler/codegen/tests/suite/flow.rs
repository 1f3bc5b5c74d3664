//! Control flow: nested branches and loops, early returns, routines that become functions, size that stays linear.

use crate::support::*;
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::*;

/// A fragment program with a color output, an input and a condition-code register.
struct Scene {
    m: Make,
    color: RegisterId,
    input: Src,
    cc: RegisterId,
    scratch: RegisterId,
}

fn scene() -> Scene {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    let (cc, scratch) = (m.cc(), m.temp());
    Scene {
        m,
        color,
        input,
        cc,
        scratch,
    }
}

impl Scene {
    /// Sets the codes from the input's lanes.
    fn test(&mut self) {
        let (cc, scratch, input) = (self.cc, self.scratch, self.input);
        self.m.f(
            Op::Sub,
            Dst {
                cc: Some(cc),
                ..d(scratch, "xyzw")
            },
            &[input, input.swizzled(swizzle("wzyx"))],
        );
    }

    fn cond(&self, letters: &str) -> Cond {
        any(self.cc, CondTest::Lt, letters)
    }
}

fn words(program: &Program) -> usize {
    emit(program, &Options::default()).unwrap().words.len()
}

#[test]
fn only_live_lanes_get_phis() {
    let mut s = scene();
    s.test();
    let (a, b, color, input) = (s.m.temp(), s.m.temp(), s.color, s.input);
    s.m.f(Op::Mov, d(a, "xyzw"), &[input]);
    let cond = s.cond("x");
    s.m.if_(cond, |m| {
        m.f(Op::Mul, d(a, "xyzw"), &[r(a, "xyzw"), input]);
        m.f(Op::Mul, d(b, "xyzw"), &[r(a, "xyzw"), input]);
    });
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(a, "y")]);
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpPhi"), 1, "{text}");
    // Lane y only: a scalar product, and nothing of b.
    assert_eq!(count(&text, "OpFMul"), 1, "{text}");
}

#[test]
fn loop_with_breaks_and_continues_on_several_levels() {
    let mut s = scene();
    s.test();
    let (sum, count_register, color, input) = (s.m.temp(), s.m.temp(), s.color, s.input);
    let one = s.m.float(1.0);
    s.m.f(Op::Mov, d(sum, "xyzw"), &[input]);
    s.m.f(Op::Mov, d(count_register, "x"), &[one]);
    let (x, y, z) = (s.cond("x"), s.cond("y"), s.cond("z"));
    s.m.loop_(
        |m| {
            m.f(Op::Add, d(sum, "xy"), &[r(sum, "xyzw"), input]);
            m.if_(x, |m| m.node(Node::Break));
            m.loop_(
                |m| {
                    m.f(Op::Mul, d(sum, "z"), &[r(sum, "z"), r(count_register, "x")]);
                    m.if_else(
                        y,
                        |m| {
                            m.f(Op::Add, d(sum, "w"), &[r(sum, "w"), one]);
                            m.node(Node::Continue);
                        },
                        |m| {
                            m.if_(z, |m| m.node(Node::Break));
                        },
                    );
                    m.if_(x, |m| m.node(Node::Return));
                },
                |m| {
                    m.f(
                        Op::Add,
                        d(count_register, "x"),
                        &[r(count_register, "x"), one],
                    )
                },
            );
            m.if_(z, |m| m.node(Node::Continue));
            m.f(Op::Mul, d(sum, "xyzw"), &[r(sum, "wxyz"), one]);
        },
        |m| {
            m.f(
                Op::Sub,
                d(count_register, "x"),
                &[r(count_register, "x"), one],
            )
        },
    );
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(sum, "xyzw")]);
    check(&s.m.finish());
}

#[test]
fn endless_loop_ends_the_program() {
    let mut s = scene();
    s.test();
    let (color, input, cond) = (s.color, s.input, s.cond("x"));
    s.m.loop_(
        |m| {
            m.f(Op::Mov, d(color, "xyzw"), &[input]);
            m.if_(cond, |m| m.node(Node::Return));
        },
        |_| {},
    );
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpReturn"), 1);
    assert_eq!(count(&text, "OpUnreachable"), 0);
}

#[test]
fn a_loop_that_never_repeats() {
    let mut s = scene();
    s.test();
    let (color, input, cond, t) = (s.color, s.input, s.cond("x"), s.m.temp());
    s.m.f(Op::Mov, d(t, "xyzw"), &[input]);
    s.m.loop_(
        |m| {
            m.f(Op::Add, d(t, "xyzw"), &[r(t, "xyzw"), input]);
            m.if_else(cond, |m| m.node(Node::Break), |m| m.node(Node::Return));
        },
        |m| m.f(Op::Add, d(t, "x"), &[r(t, "x"), input]),
    );
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    check(&s.m.finish());
}

#[test]
fn switch_with_breaks_inside_a_loop() {
    let mut s = scene();
    s.test();
    let (color, input, t, selector) = (s.color, s.input, s.m.temp(), s.m.temp());
    let (cond, other) = (s.cond("x"), s.cond("y"));
    s.m.op(Op::And, Type::U32, d(selector, "x"), &[input, input]);
    s.m.f(Op::Mov, d(t, "xyzw"), &[input]);
    s.m.loop_(
        |m| {
            let first = m.block(|m| {
                m.f(Op::Add, d(t, "x"), &[r(t, "x"), input]);
                m.if_(cond, |m| m.node(Node::Break));
                m.f(Op::Mul, d(t, "xy"), &[r(t, "xyzw"), input]);
            });
            let second = m.block(|m| m.node(Node::Continue));
            let default = m.block(|m| m.f(Op::Mov, d(t, "zw"), &[input]));
            let id = m.b.program.switches.push(Switch {
                selector: (selector, 0),
                cases: vec![
                    Case {
                        values: vec![1, 7],
                        block: first,
                    },
                    Case {
                        values: vec![2],
                        block: second,
                    },
                ],
                default: Some(default),
                span: Span::default(),
            });
            m.node(Node::Switch(id));
            m.if_(other, |m| m.node(Node::Break));
        },
        |m| {
            m.op(
                Op::Add,
                Type::U32,
                d(selector, "x"),
                &[r(selector, "x"), r(selector, "x")],
            )
        },
    );
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpSwitch"), 1);
}

#[test]
fn early_returns_of_an_inlined_routine() {
    let mut s = scene();
    s.test();
    let (color, input, t) = (s.color, s.input, s.m.temp());
    let (x, y) = (s.cond("x"), s.cond("y"));
    let routine = s.m.routine(|m| {
        m.f(Op::Add, d(t, "x"), &[r(t, "x"), input]);
        m.if_(x, |m| m.node(Node::Return));
        m.f(Op::Mul, d(t, "xy"), &[r(t, "xyzw"), input]);
        m.if_else(
            y,
            |m| {
                m.f(Op::Mul, d(t, "z"), &[r(t, "z"), input]);
                m.node(Node::Return);
            },
            |m| m.f(Op::Mul, d(t, "w"), &[r(t, "w"), input]),
        );
    });
    s.m.f(Op::Mov, d(t, "xyzw"), &[input]);
    s.m.call(routine);
    s.m.call(routine);
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpFunction"), 1, "inlined twice: {text}");
    assert_eq!(count(&text, "OpSwitch"), 2);
    // Nothing but the input and the output is in memory.
    assert_eq!(count(&text, "OpVariable"), 2);
}

/// `calls` calls of a routine that returns out of its loop.
fn calling(calls: usize) -> Program {
    let mut s = scene();
    s.test();
    let (color, input, t, cc) = (s.color, s.input, s.m.temp(), s.cc);
    let x = s.cond("x");
    let wide = s.m.wide();
    s.m.op(Op::Pack64, Type::U64, d(wide, "xyzw"), &[input]);
    let routine = s.m.routine(|m| {
        m.loop_(
            |m| {
                m.f(
                    Op::Add,
                    Dst {
                        guard: Some(guard(cc, CondTest::Ge, "xyzw")),
                        cc: Some(cc),
                        ..d(t, "xyz")
                    },
                    &[r(t, "xyzw"), input],
                );
                m.op(
                    Op::Add,
                    Type::U64,
                    d(wide, "y"),
                    &[r(wide, "x"), r(wide, "y")],
                );
                m.if_(x, |m| m.node(Node::Return));
            },
            |_| {},
        );
    });
    s.m.f(Op::Mov, d(t, "xyzw"), &[input]);
    for _ in 0..calls {
        s.m.call(routine);
    }
    let low = s.m.temp();
    s.m.op(Op::Unpack64, Type::U64, d(low, "xyzw"), &[r(wide, "xyzw")]);
    s.m.op(
        Op::Xor,
        Type::U32,
        d(color, "xyzw"),
        &[r(t, "xyzw"), r(low, "xyzw")],
    );
    s.m.finish()
}

#[test]
fn a_return_inside_a_loop_is_a_break() {
    let text = check(&calling(2));
    assert_eq!(count(&text, "OpFunction"), 1, "inlined twice: {text}");
    assert_eq!(count(&text, "OpReturn"), 1);
}

#[test]
fn a_routine_that_is_called_often_is_a_function() {
    let text = check(&calling(400));
    assert_eq!(count(&text, "OpFunction"), 2);
    assert_eq!(count(&text, "OpFunctionCall"), 400);
    assert_eq!(count(&text, "OpReturn"), 2);
}

/// Passes condition codes of comparisons from a function to its caller.
#[test]
fn functions_share_condition_codes() {
    let mut s = scene();
    let (color, input, cc, scratch) = (s.color, s.input, s.cc, s.scratch);
    let tested = Dst {
        cc: Some(cc),
        ..d(scratch, "xyzw")
    };
    let routine = s.m.routine(|m| {
        // Too many instructions for inlining.
        for _ in 0..100 {
            m.f(Op::Mul, d(color, "xyzw"), &[r(color, "xyzw"), input]);
        }
        m.f(Op::SetLt, tested, &[r(color, "xyzw"), input]);
    });
    for _ in 0..50 {
        s.m.call(routine);
    }
    let positive = any(cc, CondTest::Gt, "x");
    s.m.if_(positive, |m| {
        m.f(Op::Add, d(color, "xyzw"), &[r(color, "xyzw"), input])
    });
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpFunctionCall"), 50);
}

#[test]
fn loops_with_several_exits_are_not_unrolled() {
    for (exits, control) in [(1, "None"), (2, "DontUnroll")] {
        let mut s = scene();
        s.test();
        let (color, input, cond) = (s.color, s.input, s.cond("x"));
        s.m.loop_(
            |m| {
                for _ in 0..exits {
                    m.f(Op::Add, d(color, "xyzw"), &[r(color, "xyzw"), input]);
                    m.if_(cond, |m| m.node(Node::Break));
                }
            },
            |_| {},
        );
        let text = check(&s.m.finish());
        let merge = text.lines().find(|line| line.contains("OpLoopMerge"));
        assert!(merge.unwrap().ends_with(control), "{text}");
    }
}

#[test]
fn recursion_is_an_error() {
    let mut m = Make::new(Stage::Fragment);
    let routine = m.routine(|_| {});
    let body = m.block(|m| m.call(routine));
    m.b.program.routines[routine].body = body;
    m.call(routine);
    let error = emit(&m.finish(), &Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
}

/// Routine `n` calls routine `n - 1` twice.
fn doubling(depth: usize) -> Program {
    let mut s = scene();
    let (color, input) = (s.color, s.input);
    s.m.f(Op::Mov, d(color, "xyzw"), &[input]);
    let mut routine =
        s.m.routine(|m| m.f(Op::Mul, d(color, "xyzw"), &[r(color, "wxyz"), input]));
    for _ in 0..depth {
        let callee = routine;
        routine = s.m.routine(|m| {
            m.call(callee);
            m.f(Op::Add, d(color, "x"), &[r(color, "x"), input]);
            m.call(callee);
        });
    }
    s.m.call(routine);
    s.m.finish()
}

#[test]
fn calls_do_not_double_the_size() {
    check(&doubling(40));
    let (small, large) = (words(&doubling(100)), words(&doubling(200)));
    assert!(large < 3 * small, "{small} {large}");
}

/// `count` conditional breaks of one loop, each after an assignment of its own register.
fn breaking(count: usize) -> Program {
    let mut s = scene();
    s.test();
    let (color, input, cond) = (s.color, s.input, s.cond("x"));
    let registers: Vec<RegisterId> = (0..count).map(|_| s.m.temp()).collect();
    for &register in &registers {
        s.m.f(Op::Mov, d(register, "xyzw"), &[input]);
    }
    s.m.loop_(
        |m| {
            for &register in &registers {
                m.f(Op::Mul, d(register, "xyzw"), &[r(register, "yzwx"), input]);
                m.if_(cond, |m| m.node(Node::Break));
            }
        },
        |_| {},
    );
    for &register in &registers {
        s.m.f(
            Op::Add,
            d(color, "xyzw"),
            &[r(color, "xyzw"), r(register, "xyzw")],
        );
    }
    s.m.finish()
}

#[test]
fn many_breaks_stay_linear() {
    check(&breaking(30));
    check(&breaking(400));
    let (small, large) = (words(&breaking(1000)), words(&breaking(2000)));
    assert!(large < 3 * small, "{small} {large}");
}

/// `count` early returns of main, with several outputs.
fn returning(count: usize) -> Program {
    let mut s = scene();
    s.test();
    let (input, cond) = (s.input, s.cond("x"));
    let outputs: Vec<RegisterId> = (1..8)
        .map(|buffer| s.m.output(Semantic::FragColor { buffer, index: 0 }))
        .collect();
    for index in 0..count {
        let output = outputs[index % outputs.len()];
        s.m.f(Op::Mul, d(output, "xyz"), &[r(output, "wxyz"), input]);
        s.m.if_(cond, |m| m.node(Node::Return));
    }
    s.m.finish()
}

#[test]
fn many_returns_stay_linear() {
    let text = check(&returning(5));
    assert_eq!(count(&text, "OpFunction"), 1);
    let text = check(&returning(100));
    assert_eq!(count(&text, "OpFunction"), 1);
    // The results are stored once for all returns.
    assert_eq!(count(&text, "OpReturn"), 1);
    let (small, large) = (words(&returning(1000)), words(&returning(2000)));
    assert!(large < 3 * small, "{small} {large}");
}

/// Branches nested `depth` deep.
fn nested(depth: u32) -> Program {
    fn inner(m: &mut Make, depth: u32, t: RegisterId, input: Src, cond: Cond) {
        m.f(Op::Add, d(t, "xyzw"), &[r(t, "xyzw"), input]);
        if depth > 0 {
            m.if_(cond, |m| inner(m, depth - 1, t, input, cond));
        }
    }
    let mut s = scene();
    s.test();
    let (color, input, cond, t) = (s.color, s.input, s.cond("x"), s.m.temp());
    inner(&mut s.m, depth, t, input, cond);
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    s.m.finish()
}

#[test]
fn nesting_has_a_limit() {
    check(&nested(64));
    // Threads of tests have 2 MiB of stack; the deepest nesting allowed must fit in them.
    check(&nested(199));
    let error = emit(&nested(250), &Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Limit);
}

/// Loops nested `depth` deep.
fn nested_loops(depth: u32) -> Program {
    fn inner(m: &mut Make, depth: u32, t: RegisterId, input: Src, cond: Cond) {
        m.f(Op::Add, d(t, "xyzw"), &[r(t, "xyzw"), input]);
        if depth > 0 {
            m.loop_(
                |m| {
                    m.if_(cond, |m| m.node(Node::Break));
                    inner(m, depth - 1, t, input, cond);
                },
                |m| m.f(Op::Mul, d(t, "x"), &[r(t, "x"), input]),
            );
        }
    }
    let mut s = scene();
    s.test();
    let (color, input, cond, t) = (s.color, s.input, s.cond("x"), s.m.temp());
    inner(&mut s.m, depth, t, input, cond);
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    s.m.finish()
}

#[test]
fn nested_loops_are_not_exponential() {
    check(&nested_loops(20));
    let (small, large) = (words(&nested_loops(60)), words(&nested_loops(120)));
    assert!(large < 3 * small, "{small} {large}");
}

#[test]
fn a_value_that_a_loop_overwrites_first_needs_no_phi() {
    let mut s = scene();
    s.test();
    let (color, input, t, u) = (s.color, s.input, s.m.temp(), s.m.temp());
    let (x, y) = (s.cond("x"), s.cond("y"));
    let zero = s.m.float(0.0);
    s.m.f(Op::Mov, d(u, "xyzw"), &[zero]);
    s.m.loop_(
        |m| {
            m.if_else(
                x,
                |m| m.f(Op::Mul, d(t, "xyzw"), &[input, r(u, "xyzw")]),
                |m| m.f(Op::Add, d(t, "xyzw"), &[input, input]),
            );
            m.f(Op::Add, d(u, "xyzw"), &[r(u, "xyzw"), r(t, "xyzw")]);
            m.if_(y, |m| m.node(Node::Break));
        },
        |_| {},
    );
    s.m.f(Op::Mov, d(color, "xyzw"), &[r(u, "xyzw")]);
    let text = check(&s.m.finish());
    // The lanes of u in the header, and those of t behind the branch.
    assert_eq!(count(&text, "OpPhi"), 8, "{text}");
}

#[test]
fn dead_code_after_jumps_is_skipped() {
    let mut s = scene();
    s.test();
    let (color, input, cond) = (s.color, s.input, s.cond("x"));
    s.m.f(Op::Mov, d(color, "xyzw"), &[input]);
    s.m.if_(cond, |m| {
        m.node(Node::Return);
        m.f(Op::Mul, d(color, "xyzw"), &[input, input]);
        m.if_(cond, |m| m.f(Op::Mul, d(color, "x"), &[input, input]));
    });
    s.m.node(Node::Return);
    s.m.f(Op::Mul, d(color, "xyzw"), &[input, input]);
    let text = check(&s.m.finish());
    assert_eq!(count(&text, "OpFMul"), 0, "{text}");
}
