//! Commands that set the values that programs read: parameters, addresses, matrices.

use super::*;

fn parameter(text: &str) -> ParamValue {
    match commands(text).pop() {
        Some(Command::Parameter { value, .. }) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn parameters_are_floats_unless_a_type_says_otherwise() {
    let one = 1f32.to_bits();
    assert_eq!(
        parameter("parameter env_vp 0 (1, 0, -1.0, 0x3f800000)"),
        ParamValue::Words(Some(ParamType::Float), [one, 0, 0xbf80_0000, one])
    );
    assert_eq!(
        parameter("parameter local_cp 1 int (1, -2, 3, 4)"),
        ParamValue::Words(Some(ParamType::Int), [1, 0xffff_fffe, 3, 4])
    );
    assert_eq!(
        parameter("parameter local_fp 2 uint64 (0x100000002, 3)"),
        ParamValue::Words(None, [2, 1, 3, 0])
    );
    assert_eq!(
        parameter("parameter env_gp 2 double (1, -0.0)"),
        ParamValue::Words(None, [0, 0x3ff0_0000, 0, 0x8000_0000])
    );
    assert_eq!(parameter("parameter env_vp 0 (inf, -inf, nan, 0)"), {
        ParamValue::Words(
            Some(ParamType::Float),
            [0x7f80_0000, 0xff80_0000, f32::NAN.to_bits(), 0],
        )
    });
    assert_eq!(
        commands("parameter local_tep 9 (1, 2, 3, 4)"),
        [Command::Parameter {
            bank: ParamBank::Local,
            stage: Stage::TessEval,
            index: 9,
            value: ParamValue::Words(
                Some(ParamType::Float),
                [1f32, 2.0, 3.0, 4.0].map(f32::to_bits)
            ),
        }]
    );
}

#[test]
fn queries_are_probed() {
    assert_eq!(
        commands("probe parameter local_fp 3 int (1, -2, 3, 4)"),
        [Command::ProbeParameter {
            bank: ParamBank::Local,
            stage: Stage::Fragment,
            index: 3,
            ty: ParamType::Int,
            expected: Some([1, 0xffff_fffe, 3, 4]),
        }]
    );
    assert!(matches!(
        commands("probe parameter env_vp 0 uint incompatible")[..],
        [Command::ProbeParameter { expected: None, .. }]
    ));
    assert!(matches!(
        commands("probe components tess control attribs == 8")[..],
        [Command::ProbeCount {
            stage: Stage::TessControl,
            expected: 8,
            ..
        }]
    ));
    for (line, message) in [
        (
            "probe parameter env_vp 0 double 1 2",
            "`double` is not float, int or uint",
        ),
        (
            "probe parameter env_vp 0 int 1 2 3",
            "a component is missing",
        ),
        (
            "probe parameter env_vp 0 == (1, 2, 3)",
            "expected a multiple of 4 values, got 3",
        ),
        (
            "probe parameter env_vp 0 == (1, 2, 3, 4) x 2",
            "a parameter has four components",
        ),
        (
            "probe parameter subroutine_vp 0 == (1, 2, 3, 4)",
            "subroutine parameters are no floats",
        ),
        (
            "probe parameter named_fp",
            "the name of a parameter is missing",
        ),
        (
            "probe components vertex inputs == 1",
            "`inputs` is not `attribs` or `results`",
        ),
        ("probe components pixel attribs == 1", "expected a stage"),
    ] {
        assert_eq!(error(line), message);
    }
}

#[test]
fn parameters_are_compared_as_floats() {
    let text = "tolerance 0.5 1 2 3\nprobe parameter env_vp 95 ~= (1, nan, 0x80000000, -2)";
    let [
        Command::CompareParameter {
            bank: ParamBank::Env,
            stage: Stage::Vertex,
            index: 95,
            expected,
            comparison: ComparisonOp::Near,
            tolerances,
        },
    ] = &commands(text)[..]
    else {
        panic!("{text}")
    };
    assert_eq!((expected.scalar_count(), expected.end()), (4, 16));
    assert_eq!(tolerances[3], Tolerance::Absolute(3.0));
}

#[test]
fn named_parameters_are_numbered_by_the_script() {
    let script = parse(
        "[test]\nparameter named_fp tint (1, 2, 3, 4)\nprobe parameter named_fp other float (1, 2, 3, 4)\n\
         parameter named_fp other int (1, 2, 3, 4)\nprobe parameter named_fp tint == (1, 2, 3, 4)\n",
    );
    assert_eq!(script.param_names, ["tint", "other"]);
    let place = |step: &ScriptStep| {
        if let Command::Parameter { bank, index, .. }
        | Command::ProbeParameter { bank, index, .. }
        | Command::CompareParameter { bank, index, .. } = step.command
        {
            return Some((bank, index));
        }
        None
    };
    let places: Vec<_> = script.steps.iter().map(place).collect();
    let named = |index| Some((ParamBank::Named, index));
    assert_eq!(places, [0, 1, 1, 0].map(named));
}

#[test]
fn bad_parameters() {
    assert_eq!(
        error("parameter env_xp 0 (1, 0, 0, 1)"),
        "`env_xp` is not env_, local_, named_ or subroutine_ with vp, tcp, tep, gp, fp or cp"
    );
    assert_eq!(
        error("parameter env_vp 0 (1, 0, 0)"),
        "a component is missing"
    );
    assert_eq!(
        error("parameter env_vp 0 (1, 0, 0, 1, 2)"),
        "`2` is one word too many"
    );
    assert_eq!(
        error("parameter env_vp 99999 (1, 0, 0, 1)"),
        "`99999` is not a parameter number"
    );
    assert_eq!(
        error("parameter env_vp 0 float16_t (1, 0, 0, 1)"),
        "parameters have components of 32 or 64 bits"
    );
}

#[test]
fn addresses_refer_to_buffers_in_any_order() {
    let script = parse(
        "[test]\nparameter local_cp 0 address in out\nbuffer out size 64\nbuffer in subdata float 0 1 2 3\n",
    );
    let Command::Parameter { value, .. } = &script.steps[0].command else {
        panic!("a parameter")
    };
    assert_eq!(
        *value,
        ParamValue::Addresses(
            vec![0, 1]
                .into_iter()
                .map(|index| BufferAddress {
                    buffer: BufferId(index),
                    offset: 0
                })
                .collect()
        )
    );
    let sizes: Vec<_> = script
        .buffers
        .iter()
        .map(|buffer| (buffer.key.clone(), buffer.size))
        .collect();
    assert_eq!(
        sizes,
        [
            (BufferKey::Named("in".into()), 12),
            (BufferKey::Named("out".into()), 64)
        ]
    );
    assert_eq!(
        errors("[test]\nclear\nparameter local_cp 0 address gone\n"),
        [(
            3,
            1,
            "buffer `gone` is given neither a size nor data".to_owned()
        )]
    );
}

#[test]
fn handles_are_numbers_of_units() {
    let script = parse(
        "[test]\nparameter local_fp 0 handle texture 3 image 1\ntexture 2D 4 R8_UNORM (1, 1) 1\nimage 2D 2 R8_UNORM (1, 1)\n\
         image 2D 1:900 R8_UNORM (1, 1)\n",
    );
    let Command::Parameter { value, .. } = &script.steps[0].command else {
        panic!("a parameter")
    };
    assert_eq!(
        *value,
        ParamValue::Handles(vec![HandleUnit::Texture(3), HandleUnit::Image(1)])
    );
    let limits = script.handle_limits();
    assert_eq!((limits.textures, limits.images), (5, 3));
    let limits = parse("[test]\n").handle_limits();
    assert_eq!((limits.textures, limits.images), (1, 1));
    for (words, message) in [
        ("", "`texture` or `image` is missing"),
        ("buffer 1", "`buffer` is not `texture` or `image`"),
        ("texture", "a unit below 32 is missing"),
        ("texture 32", "`32` is not a unit below 32"),
        ("texture 1 image 2 image 3", "`image` is one word too many"),
    ] {
        let found = errors(&format!("[test]\nparameter local_fp 0 handle {words}\n"));
        assert_eq!((found.len(), found[0].2.as_str()), (1, message));
    }
}

#[test]
fn matrices_are_pushed_before_they_are_popped() {
    let found =
        commands("matrix palette 3 push\nmatrix palette 3 identity\nmatrix palette 3 pop\n");
    assert_eq!(
        found[0],
        Command::Matrix {
            target: MatrixTarget::Palette(3),
            update: MatrixUpdate::Push
        }
    );
    assert_eq!(
        errors(
            "[test]\nmatrix palette 3 push\nmatrix palette 2 pop\nmatrix palette 3 pop\nmatrix palette 3 pop\n"
        ),
        [
            (3, 18, "no matrix is pushed".to_owned()),
            (5, 18, "no matrix is pushed".to_owned())
        ]
    );
    let many = "matrix projection push\n".repeat(33);
    assert_eq!(
        errors(&format!("[test]\n{many}")),
        [(34, 19, "32 matrices are pushed already".to_owned())]
    );
}

#[test]
fn matrices_are_given_row_by_row_and_kept_column_by_column() {
    let found = commands(
        "matrix modelview load 1 2 3 4  5 6 7 8  9 10 11 12  13 14 15 16\nmatrix texture 2 translate 1 2 3\n",
    );
    let Command::Matrix {
        target,
        update: MatrixUpdate::Load(matrix),
    } = &found[0]
    else {
        panic!("a load")
    };
    assert_eq!(*target, MatrixTarget::Modelview(0));
    assert_eq!(matrix[3], [4.0, 8.0, 12.0, 16.0]);
    let Command::Matrix {
        target,
        update: MatrixUpdate::Multiply(matrix),
    } = &found[1]
    else {
        panic!("a product")
    };
    assert_eq!(*target, MatrixTarget::Texture(2));
    assert_eq!(matrix[3], [1.0, 2.0, 3.0, 1.0]);
    assert_eq!(
        error("matrix modelview 1 spin"),
        "unknown matrix operation `spin`"
    );
    assert_eq!(
        error("matrix colour identity"),
        "expected modelview, projection, texture, palette, program or color"
    );
}

#[test]
fn piglit_ortho_sets_both_matrices() {
    let found = commands("ortho");
    let Command::Matrix {
        target: MatrixTarget::Projection,
        update: MatrixUpdate::Load(matrix),
    } = &found[1]
    else {
        panic!("{found:?}")
    };
    // Pixel (250, 250) is the corner (1, 1).
    assert_eq!(
        [
            matrix[0][0] * 250.0 + matrix[3][0],
            matrix[1][1] * 250.0 + matrix[3][1]
        ],
        [1.0, 1.0]
    );
    assert!(matches!(
        found[0],
        Command::Matrix {
            target: MatrixTarget::Modelview(0),
            ..
        }
    ));
}

#[test]
fn counts_are_probed() {
    assert!(matches!(
        commands("probe program fragment texture_indirections <= 4")[..],
        [Command::ProbeCount {
            kind: CountKind::TextureIndirections,
            expected: 4,
            ..
        }]
    ));
    let wrong = errors("[test]\nprobe program fragment wires == 1\n");
    assert!(format!("{wrong:?}").contains("`wires` is not something that GL counts"));
}
