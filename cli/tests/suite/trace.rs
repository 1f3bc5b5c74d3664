//! `glasm trace`: statements, values and findings of programs, without a device.

use crate::support::{Folder, run};
use glasm_tests::skip::skip;
use serde_json::Value;

/// Returns a script that draws a rectangle with texture coordinates from 0 to 1 into 2 x 2 pixels.
fn wrap(program: &str, commands: &str) -> String {
    format!(
        "[require]\nfbsize 2 2\nframebuffer R32G32B32A32_SFLOAT\n\n[vertex program passthrough]\n\n\
         [fragment program]\n{program}\nEND\n\n[test]\n{commands}\ndraw rect tex -1 -1 2 2 0 0 1 1\n"
    )
}

/// Traces a script without device, and returns the exit status and the standard output.
fn trace(name: &str, script: &str, options: &[&str]) -> (i32, String) {
    let folder = Folder::new(&format!("trace-{name}"));
    folder.write("a.shader_test", script);
    let mut args = vec!["trace", "a.shader_test", "--no-device"];
    args.extend(options);
    let (status, stdout, stderr) = run(&folder, &args);
    assert_eq!(stderr, "", "{stdout}");
    (status, stdout)
}

/// Returns the JSON form of a trace.
fn trace_json(name: &str, script: &str, options: &[&str]) -> Value {
    let mut args = vec!["--json"];
    args.extend(options);
    let (_, stdout) = trace(name, script, &args);
    serde_json::from_str(&stdout).unwrap()
}

/// Returns the line of the first finding of a kind.
fn find_line_of(report: &Value, kind: &str) -> Option<u64> {
    let findings = report["first_findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["kind"] == kind)?;
    let statement = &report["statements"][finding["statement"].as_u64().unwrap() as usize];
    statement["line"].as_u64()
}

#[test]
fn the_first_infinity_and_nan_are_reported() {
    let script = wrap(
        "!!ARBfp1.0\nTEMP a, b;\nSUB a, fragment.texcoord[0], fragment.texcoord[0];\nRCP b.x, a.x;\n\
         MUL b.y, b.x, a.x;\nMOV result.color, b.x;",
        "",
    );
    let report = trace_json("infinity", &script, &[]);
    // The program starts in line 8: RCP is its fourth line. MUL has an infinite operand.
    assert_eq!(find_line_of(&report, "infinity"), Some(11));
    assert_eq!(find_line_of(&report, "nan"), None);
    let statements = report["statements"].as_array().unwrap();
    let product = statements.iter().find(|it| it["line"] == 12).unwrap();
    assert_eq!(product["results"][0]["values"][0], "NaN");
    let (_, text) = trace("infinity-text", &script, &["--first-nan"]);
    assert!(text.contains("   11  RCP b.x, a.x"), "{text}");
    assert!(text.contains("b.x = +Inf"), "{text}");
    assert!(!text.contains("MUL"), "{text}");
}

#[test]
fn values_have_their_names_and_bits() {
    let script = wrap(
        "!!ARBfp1.0\nTEMP a;\nMAD a.xy, fragment.texcoord[0], program.local[1].x, -program.env[2];\n\
         MOV result.color, a.xyxy;",
        "parameter local_fp 1 (2, 0, 0, 0)\nparameter env_fp 2 (1, 0.25, 0, 0)",
    );
    // Pixel (1, 0): its center is at (0.75, 0.25).
    let (status, text) = trace("names", &script, &["--at", "1,0"]);
    assert_eq!(status, 0);
    for expected in [
        "fragment.texcoord[0].xy = (0.75, 0.25)",
        "program.local[1].x = 2",
        "-program.env[2].xy = (-1, -0.25)",
        "=> a.xy = (0.5, 0.25)",
        "result.color = (0.5, 0.25, 0.5, 0.25)",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let (_, text) = trace("bits", &script, &["--at", "1,0", "--bits"]);
    assert!(text.contains("a.xy = (0x3f000000, 0x3e800000)"), "{text}");
    let (_, text) = trace("ir", &script, &["--at", "1,0", "--ir"]);
    assert!(text.contains("mad.f32"), "{text}");
}

#[test]
fn iterations_branches_and_codes_are_shown() {
    let script = wrap(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMOV a, 0;\nREP 3;\n  ADDC a.x, a.x, 1;\n\
         ENDREP;\nSUBC a.y, a.x, 4;\nIF LT.y;\n  MOV a.z, 9;\nELSE;\n  MOV a.z, 7;\nENDIF;\n\
         MOV a.w (GT.y), 5;\nMOV result.color, a;",
        "",
    );
    let report = trace_json("loop", &script, &[]);
    let statements = report["statements"].as_array().unwrap();
    let iterations: Vec<u64> = statements
        .iter()
        .flat_map(|it| it["flow"].as_array().unwrap())
        .filter(|flow| flow["kind"] == "iteration")
        .map(|flow| flow["value"].as_u64().unwrap())
        .collect();
    // The fourth test of the condition ends the loop.
    assert_eq!(iterations, [1, 2, 3, 4]);
    let sums: Vec<&Value> = statements
        .iter()
        .filter(|it| it["line"] == 13)
        .map(|it| &it["results"][0]["values"][0])
        .collect();
    assert_eq!(sums, [1.0, 2.0, 3.0]);
    let (_, text) = trace("loop-text", &script, &[]);
    assert!(text.contains("a.y = -1 [y:LT]"), "{text}");
    assert!(text.contains("IF LT.y  -- taken [LT]"), "{text}");
    assert!(text.contains("MOV a.w (GT.y), 5"), "{text}");
    assert!(text.contains("nothing is written"), "{text}");
    assert!(!text.contains("MOV a.z, 7"), "{text}");
    assert!(text.contains("result.color = (3, -1, 9, 0)"), "{text}");
}

#[test]
fn calls_are_indented_and_return() {
    let script = wrap(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMOV a, 2;\nCAL double;\nCAL double;\n\
         MOV result.color, a;\nRET;\ndouble:\nADD a, a, a;\nRET;",
        "",
    );
    let report = trace_json("call", &script, &[]);
    let statements = report["statements"].as_array().unwrap();
    let inner: Vec<&Value> = statements.iter().filter(|it| it["line"] == 17).collect();
    assert_eq!(inner.len(), 2);
    assert_eq!(
        (&inner[0]["depth"], &inner[1]["depth"]),
        (&1.into(), &1.into())
    );
    assert_eq!(inner[1]["results"][0]["values"][0], 8.0);
    let call = statements.iter().find(|it| it["line"] == 12).unwrap();
    assert_eq!(call["flow"][0]["kind"], "call");
    assert_eq!(call["flow"][0]["value"], "double");
}

#[test]
fn textures_are_sampled() {
    let script = wrap(
        "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;",
        "texture 2D 0 R32_SFLOAT (2, 2) 1 2 3 4",
    );
    for (pixel, texel) in [("0,0", 1.0), ("1,0", 2.0), ("0,1", 3.0), ("1,1", 4.0)] {
        let report = trace_json("texture", &script, &["--at", pixel]);
        let color = &report["results"][0]["values"];
        assert_eq!(
            (&color[0], &color[3]),
            (&texel.into(), &1.0.into()),
            "{pixel}"
        );
    }
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    let script = wrap(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMUL a, fragment.position, fragment.position;\n\
         DDX result.color.x, a.x;\nDDY result.color.y, a.y;",
        "",
    );
    let report = trace_json("derivative", &script, &["--at", "1,1"]);
    let color = &report["results"][0]["values"];
    // 1.5 * 1.5 - 0.5 * 0.5
    assert_eq!((&color[0], &color[1]), (&2.0.into(), &2.0.into()));
}

#[test]
fn reads_of_unwritten_registers_are_reported() {
    let script = wrap(
        "!!ARBfp1.0\nTEMP a, b;\nMOV a.x, 1;\nADD b, a.x, 2;\nADD b.x, b.x, a.y;\nMOV result.color, b;",
        "",
    );
    let report = trace_json("unwritten", &script, &[]);
    assert_eq!(find_line_of(&report, "uninitialized"), Some(12));
    let (_, text) = trace("unwritten-text", &script, &[]);
    let expected = "^ first read of a.y, which nothing has written";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn indices_out_of_bounds_are_reported() {
    let script = "[require]\nfbsize 2 2\n\n[vertex program]\n!!ARBvp1.0\n\
        PARAM c[3] = { program.local[0..2] };\nADDRESS i;\nARL i.x, program.local[5].x;\n\
        MOV result.color, c[i.x];\nMOV result.position, vertex.position;\nEND\n\n\
        [fragment program]\n!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n\n\
        [test]\nparameter local_vp 5 (7, 0, 0, 0)\ndraw rect -1 -1 2 2\n";
    let report = trace_json("index", script, &["--vertex", "0"]);
    assert_eq!(find_line_of(&report, "out_of_bounds"), Some(9));
    let (_, text) = trace("index-text", script, &["--vertex", "2"]);
    assert!(
        text.contains("first index out of bounds: 7 in an array of 3"),
        "{text}"
    );
    assert!(text.contains("vertex.position = (-1, 1, 0, 1)"), "{text}");
}

#[test]
fn invocations_of_compute_programs_are_traced() {
    let script = "[compute program]\n!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 4;\n\
        STORAGE b[] = { program.storage[0] };\nTEMP a, i;\nMUL.U i.x, invocation.globalid.x, 4;\n\
        LDB.U32 a.x, b[i.x];\nADD.U a.x, a.x, 5;\nSTB.U32 a, b[i.x];\nEND\n\n\
        [test]\nssbo 0 data uint 0 10 20 30 40 50 60 70 80\ncompute 2 1 1\n";
    let report = trace_json("compute", script, &["--invocation", "6,0,0"]);
    assert_eq!(report["stage"], "compute");
    let statements = report["statements"].as_array().unwrap();
    let sum = statements.iter().find(|it| it["line"] == 9).unwrap();
    assert_eq!(sum["results"][0]["values"][0], 75);
}

#[test]
fn geometry_programs_are_traced_for_primitives() {
    let script = "[require]\nfbsize 2 2\n\n[vertex program]\n!!NVvp4.0\n\
        MOV result.position, vertex.position;\nMOV result.color, vertex.attrib[1];\nEND\n\n\
        [geometry program]\n!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT POINTS;\n\
        VERTICES_OUT 1;\nMOV result.position, vertex[1].position;\n\
        ADD result.color, vertex[0].color, vertex[2].color;\nEMIT;\nEND\n\n\
        [fragment program]\n!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n\n\
        [vertex data]\n0/R32G32_SFLOAT 1/R32_SFLOAT\n0 0 1\n1 0 2\n0 1 4\n\
        0 0 8\n1 0 16\n0 1 32\n\n[test]\ndraw arrays TRIANGLES 0 6\n";
    let report = trace_json("primitive", script, &["--primitive", "1"]);
    assert_eq!(report["stage"], "geometry");
    let statements = report["statements"].as_array().unwrap();
    let sum = statements.iter().find(|it| it["line"] == 16).unwrap();
    // 8 + 32, and the missing components of the attribute: 0, 0, 1 + 1.
    let values: Vec<f64> = sum["results"][0]["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_f64().unwrap())
        .collect();
    assert_eq!(values, [40.0, 0.0, 0.0, 2.0]);
    let folder = Folder::new("trace-no-primitive");
    folder.write("a.shader_test", script);
    let args = ["trace", "a.shader_test", "--primitive", "2"];
    let (status, _, stderr) = run(&folder, &args);
    assert_eq!(status, 2);
    assert!(stderr.contains("the draw has no primitive 2"), "{stderr}");
}

#[test]
fn watched_names_select_statements() {
    let script = wrap(
        "!!ARBfp1.0\nTEMP a, b;\nMOV a, 1;\nMOV b, 2;\nADD a, a, b;\nMOV b, 3;\nMOV result.color, a;",
        "",
    );
    let lines = |options: &[&str]| -> Vec<u64> {
        let report = trace_json("watch", &script, options);
        let statements = report["statements"].as_array().unwrap();
        statements
            .iter()
            .map(|it| it["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(lines(&["--watch", "b"]), [11, 12, 13]);
    assert_eq!(lines(&["--watch", "result.color"]), [14]);
    assert_eq!(lines(&["--last-write", "a"]), [12]);
    assert_eq!(lines(&["--last-write", "c"]), Vec::<u64>::new());
    let report = trace_json("limit", &script, &["--max-statements", "2"]);
    assert_eq!(report["statements"].as_array().unwrap().len(), 2);
    assert_eq!(report["omitted"], 3);
}

#[test]
fn endless_programs_reach_the_limit() {
    let script = wrap(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMOV a, 0;\nREP 200;\nREP 200;\nREP 200;\n\
         ADD a, a, 1;\nENDREP;\nENDREP;\nENDREP;\nMOV result.color, a;",
        "",
    );
    let folder = Folder::new("trace-endless");
    folder.write("a.shader_test", &script);
    let args = [
        "trace",
        "a.shader_test",
        "--no-device",
        "--max-steps",
        "1000",
    ];
    let (status, text, _) = run(&folder, &args);
    assert_eq!(status, 0);
    let expected = "the program did not end within 1000 steps; --max-steps sets the limit";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_first_different_statement_is_found() {
    let program = |factor: &str| {
        format!(
            "!!ARBfp1.0\nTEMP a;\nMUL a, fragment.texcoord[0], 2;\nMUL a, a, {factor};\n\
             MOV result.color, a;"
        )
    };
    let folder = Folder::new("trace-diff");
    folder.write("a.shader_test", wrap(&program("3"), ""));
    folder.write("b.fp", format!("{}\nEND", program("4")));
    folder.write("c.fp", format!("# the same\n{}\nEND", program("3")));
    let diff = |other: &str| run(&folder, &["trace", "a.shader_test", "--diff", other]);
    let (status, text, stderr) = diff("b.fp");
    assert_eq!((status, stderr.as_str()), (1, ""), "{text}");
    assert!(text.contains("   11  MUL a, a, 3"), "{text}");
    assert!(text.contains("    4  MUL a, a, 4"), "{text}");
    assert!(!text.contains("MUL a, fragment"), "{text}");
    let (status, text, _) = diff("c.fp");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("no difference"), "{text}");
    let args = ["trace", "a.shader_test", "--diff", "b.fp", "--json"];
    let value: Value = serde_json::from_str(&run(&folder, &args).1).unwrap();
    assert_eq!(value["difference"], "statement");
    assert_eq!(value["sides"][1]["statement"]["line"], 4);
}

#[test]
fn programs_are_traced_without_a_script() {
    let folder = Folder::new("trace-program");
    folder.write(
        "a.fp",
        "# a comment\n!!ARBfp1.0\nMUL result.color, fragment.texcoord[0], program.local[3];\nEND\n",
    );
    let (status, text, stderr) = run(&folder, &["trace", "a.fp", "--no-device"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{text}");
    assert!(text.contains("    3  MUL result.color"), "{text}");
    assert!(
        text.contains("program.local[3] = (0.9, 0.6, 0.8, 1)"),
        "{text}"
    );
    folder.write("b.txt", "nothing");
    let (status, _, stderr) = run(&folder, &["trace", "b.txt"]);
    assert_eq!(status, 2);
    assert!(
        stderr.contains("neither a script nor a program"),
        "{stderr}"
    );
    let (status, ..) = run(&folder, &["trace", "missing.fp"]);
    assert_eq!(status, 2);
}

#[test]
fn draws_that_are_not_simulated_are_named() {
    // GLSL has no form that is interpreted.
    let script = "[vertex program passthrough]\n[fragment shader]\n#version 450\n\
        layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n\
        [test]\ndraw rect -1 -1 2 2\n";
    let folder = Folder::new("trace-glsl");
    folder.write("a.shader_test", script);
    let (status, _, stderr) = run(&folder, &["trace", "a.shader_test", "--no-device"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("line 7"), "{stderr}");
    assert!(stderr.contains("not an assembly program"), "{stderr}");
}

/// Checks the trace that a command requests: of the draw before it, not of the one after it.
#[test]
fn commands_of_scripts_request_traces() {
    let folder = Folder::new("trace-command");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    let program = "!!ARBfp1.0\nTEMP a;\nMOV a, program.local[0];\nMUL result.color, a, 2;";
    let first = "parameter local_fp 0 (0.25, 0, 0, 1)\ndraw rect -1 -1 2 2\ntrace pixel 1 0\n\
                 parameter local_fp 0 (0.5, 0, 0, 1)";
    folder.write("a.shader_test", wrap(program, first));
    let args = ["run", "a.shader_test", "--json", "report.json"];
    let (status, stdout, stderr) = run(&folder, &args);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("MUL result.color, a, 2"), "{stdout}");
    assert!(stdout.contains("result.color = (0.5, 0, 0, 2)"), "{stdout}");
    let text = std::fs::read_to_string(folder.0.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let trace = &report["scripts"][0]["traces"][0];
    // The commands start in line 15.
    assert_eq!(trace["line"], 17);
    assert_eq!(trace["pixel"], serde_json::json!([1, 0]));
    assert_eq!(trace["trace"]["command_line"], 16);
    assert_eq!(trace["trace"]["device"]["agrees"], true, "{trace}");
    assert_eq!(trace["trace"]["statements"].as_array().unwrap().len(), 2);
}

#[test]
fn commands_without_fragment_say_so() {
    let folder = Folder::new("trace-command-none");
    let (status, _, stderr) = run(&folder, &["devices"]);
    if status != 0 {
        skip(stderr);
        return;
    }
    let script = wrap("!!ARBfp1.0\nMOV result.color, 1;", "trace pixel 1 1");
    folder.write("a.shader_test", script);
    let (status, stdout, stderr) = run(&folder, &["run", "a.shader_test"]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    let expected = "line 13: trace pixel 1 1: the script draws nothing";
    assert!(stdout.contains(expected), "{stdout}");
}
