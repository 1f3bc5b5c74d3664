//! Events that observers receive. Expected values are computed by hand.

use super::*;
use crate::operand::WriteMask;

/// Observer that records all events in words.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    out_of_bounds: Vec<bool>,
}

/// Formats the lanes of a mask as floats.
fn format_lanes(lanes: [u64; 4], mask: WriteMask) -> String {
    let values = mask.lanes().map(|lane| f32::from_bits(lanes[lane] as u32));
    format!("{:?}", values.collect::<Vec<_>>())
}

impl Observer for Log {
    fn record_instruction(&mut self, event: &InstructionEvent<'_>) {
        let operands = event.operands.iter();
        let operands = operands.map(|it| format_lanes(it.lanes, it.read));
        let operands: Vec<String> = operands.collect();
        let result = event.result.map_or_else(String::new, |result| {
            format!(" -> {}", format_lanes(result.lanes, result.written))
        });
        let name = event.inst.op.name();
        self.lines.push(format!(
            "{}: {name} {}{result}",
            event.index,
            operands.join(" ")
        ));
        self.out_of_bounds.push(event.is_access_out_of_bounds);
    }

    fn record_flow(&mut self, event: FlowEvent) {
        self.lines.push(match event.change {
            FlowChange::Branch { is_taken, .. } => format!("branch {is_taken}"),
            FlowChange::LoopStart { .. } => "loop".to_owned(),
            FlowChange::Iteration { complete } => format!("after {complete}"),
            FlowChange::Switch { value, .. } => format!("switch {value}"),
            FlowChange::Break { leaves_loop } => format!("break {leaves_loop}"),
            FlowChange::Continue => "continue".to_owned(),
            FlowChange::Call { routine, .. } => format!("call {}", routine.index()),
            FlowChange::Return => "return".to_owned(),
        });
    }
}

fn run_observed(body: &str) -> Log {
    let program = parse_program(body);
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut log = Log::default();
    interpreter
        .run_main_observed(&mut Environment::default(), &mut log)
        .unwrap();
    log
}

#[test]
fn instructions_report_operands_and_written_lanes() {
    let log = run_observed(
        "r1.xy = add.f32 {1.5, 2.0, 9.0, 9.0}, {2.25, -4.0, 9.0, 9.0}\n\
         r2.zw, cc3 = mov.f32 -r1.xyxy\n\
         r0.xyzw if(lt cc3.xyzw) = mul.f32 r2.wzwz, {2.0}\n\
         r0.x = dp3.f32 r1.xyxx, {1.0, 2.0, 3.0, 4.0}",
    );
    assert_eq!(
        log.lines,
        [
            "0: add [1.5, 2.0] [2.25, -4.0] -> [3.75, -2.0]",
            "1: mov [-3.75, 2.0] -> [-3.75, 2.0]",
            // Only z is below 0; it reads z of the swizzled operand, which is w.
            "2: mul [2.0] [2.0] -> [4.0]",
            // 3.75 - 2 * 2 + 3 * 3.75
            "3: dp3 [3.75, -2.0, 3.75] [1.0, 2.0, 3.0] -> [11.0]",
            "return",
        ]
    );
}

#[test]
fn control_flow_is_reported_in_order() {
    let log = run_observed(
        "r1.x = mov.s32 {2}\n\
         loop {\n\
         if nonzero.s32 r1.x {\n} else {\nbreak\n}\n\
         r1.x = sub.s32 r1.xxxx, {1}\n\
         }\n\
         if nonzero.s32 r1.x {\nr0.x = mov.f32 {1.0}\n}",
    );
    let flow: Vec<&str> = log
        .lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.contains(':'))
        .collect();
    assert_eq!(
        flow,
        [
            "loop",
            "branch true",
            "after 1",
            "branch true",
            "after 2",
            "branch false",
            "break true",
            "branch false",
            "return"
        ]
    );
}

#[test]
fn indices_and_accesses_out_of_bounds_are_reported() {
    let program = parse_program(
        "r1.x = mov.s32 {5}\n\
         r0.xyzw = mov.f32 r6[r1.x-1 of 3].xyzw\n\
         r0.x = load.u32 (buf0 x1) {4}\n\
         r0.x = load.u32 (buf0 x1) {8}\n\
         r0.xy = load.u32 (buf0 x2) {4}",
    );
    struct Elements(Vec<(i64, u32, bool)>, Vec<bool>);
    impl Observer for Elements {
        fn record_instruction(&mut self, event: &InstructionEvent<'_>) {
            let elements = event.operands.iter().filter_map(|it| it.element);
            self.0.extend(
                elements.map(|it| (it.requested, it.clamp_to_array(), it.is_out_of_bounds())),
            );
            self.1.push(event.is_access_out_of_bounds);
        }
        fn record_flow(&mut self, _: FlowEvent) {}
    }
    let mut environment = Environment::default();
    environment.memory.buffers = vec![vec![vec![0; 8]]];
    let interpreter = Interpreter::new(&program).unwrap();
    let mut found = Elements(Vec::new(), Vec::new());
    interpreter
        .run_main_observed(&mut environment, &mut found)
        .unwrap();
    assert_eq!(found.0, [(4, 2, true)]);
    assert_eq!(found.1, [false, false, false, true, true]);
}

#[test]
fn condition_codes_are_those_after_the_instruction() {
    struct Codes(Vec<Option<[Flags; 4]>>);
    impl Observer for Codes {
        fn record_instruction(&mut self, event: &InstructionEvent<'_>) {
            self.0.push(event.result.and_then(|result| result.codes));
        }
        fn record_flow(&mut self, _: FlowEvent) {}
    }
    let program =
        parse_program("r1.x = mov.f32 {0.0}\nr1.xy, cc3 = sub.f32 {1.0}, {3.0, 1.0, 0.0, 0.0}");
    let mut codes = Codes(Vec::new());
    let interpreter = Interpreter::new(&program).unwrap();
    interpreter
        .run_main_observed(&mut Environment::default(), &mut codes)
        .unwrap();
    assert_eq!(codes.0[0], None);
    let lanes = codes.0[1].unwrap();
    assert!(lanes[0].sign && !lanes[0].zero);
    assert!(!lanes[1].sign && lanes[1].zero);
    assert_eq!(lanes[2], Flags::default());
}
