//! A program that never ends. It runs in a separate process, because the device continues to
//! execute it until the process ends.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use std::fs;
use std::time::{Duration, Instant};

/// An endless loop with a side effect in its body.
const ENDLESS: &str = r#"
[compute shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %buffer
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 3
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%in = OpTypePointer Input %uvec3
%storage = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%id = OpVariable %in Input
%buffer = OpVariable %storage StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%bool = OpTypeBool
%main = OpFunction %void None %function
%label = OpLabel
%all = OpLoad %uvec3 %id
%x = OpCompositeExtract %uint %all 0
%place = OpAccessChain %element %buffer %zero %x
OpBranch %head
%head = OpLabel
OpLoopMerge %done %next None
OpBranch %body
%body = OpLabel
%count = OpAtomicIAdd %uint %place %one %zero %one
%end = OpULessThan %bool %count %zero
OpBranchConditional %end %done %next
%next = OpLabel
OpBranch %head
%done = OpLabel
OpReturn
OpFunctionEnd
[test]
ssbo 3 subdata uint 0 1 1 1 1
compute 1 1 1
"#;

#[test]
fn endless_programs_are_given_up() {
    let limit = Duration::from_millis(300);
    let runner = match Runner::new(&RunOptions {
        timeout: limit,
        ..RunOptions::default()
    }) {
        Ok(runner) => runner,
        Err(error) => {
            skip(error);
            return;
        }
    };
    let path = std::env::temp_dir().join(format!("glasm-hang-{}.shader_test", std::process::id()));
    fs::write(&path, ENDLESS).unwrap();
    let start = Instant::now();
    let report = runner.run_file(&path);
    fs::remove_file(&path).unwrap();
    assert!(start.elapsed() < Duration::from_secs(60));
    match report.outcome {
        Outcome::Fail => {
            assert!(
                report.failures[0].message.contains("timed out"),
                "{:#?}",
                report.failures
            );
            assert!(runner.gave_up_device());
        }
        // Some devices end such loops themselves.
        Outcome::Pass => assert!(!runner.gave_up_device()),
        Outcome::Skip(reason) => skip(reason),
    }
}
