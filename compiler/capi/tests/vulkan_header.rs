//! `include/glasm_vulkan.h` is generated from the table of device features and from the structures
//! in which Vulkan reports them. To write it again:
//! `GLASM_WRITE_HEADER=1 cargo test -p glasm-capi --test vulkan_header`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use support::{Linkage, build, check_compiles, crate_dir, run};

/// A feature with the place at which Vulkan reports it, as the table states it.
struct Feature {
    name: &'static str,
    place: &'static str,
}

macro_rules! list_features {
    ($(
        $(feature $name:literal $place:tt $opengl:tt $field:tt $needs:tt)?
        $(plain $need:ident $capability:ident $($extension:literal $core:ident)?)?;
    )*) => {
        fn list_features() -> Vec<Feature> {
            vec![$($(Feature { name: $name, place: stringify!($place) },)?)*]
        }
    };
}

glasm::device_features! { list_features {} }

/// Returns the structures of Vulkan by the names that the table has for them.
fn read_structures() -> BTreeMap<String, String> {
    let path = crate_dir().join("../glasm/src/vulkan/pnext_chain.rs");
    let text = std::fs::read_to_string(path).unwrap();
    let list = text.split("structures! {").nth(1).unwrap();
    let list = list.split("\n}").next().unwrap();
    let entries = list.split(';').filter_map(|entry| {
        let (chain, rest) = entry.trim().split_once(": ")?;
        let name = rest.split(',').next()?.trim();
        Some((chain.to_owned(), format!("Vk{name}")))
    });
    entries.collect()
}

/// Returns the value of `sType` of a structure: `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_..._FEATURES`.
fn make_structure_type(structure: &str) -> String {
    let name = structure.strip_prefix("Vk").unwrap();
    let vendors = ["EXT", "KHR", "NV"];
    let vendor = vendors.into_iter().find(|vendor| name.ends_with(vendor));
    let name = vendor.map_or(name, |vendor| name.strip_suffix(vendor).unwrap());
    // Numbers begin words, except after `Int` and `Float`, and belong to the next one before `Bit`
    // and `D`.
    let mut text = String::new();
    let characters: Vec<char> = name.chars().collect();
    for (place, character) in characters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| characters[before]);
        let is_number_of_type = text.ends_with("INT") || text.ends_with("FLOAT");
        let starts = match before {
            Some(before) if character.is_ascii_uppercase() => {
                !before.is_ascii_uppercase() && !before.is_ascii_digit()
                    || before.is_ascii_digit() && !matches!(character, 'B' | 'D')
            }
            Some(before) => {
                character.is_ascii_digit() && !before.is_ascii_digit() && !is_number_of_type
            }
            None => false,
        };
        if starts {
            text.push('_');
        }
        text.push(character.to_ascii_uppercase());
    }
    // Versions are two numbers.
    let text = text.replace("VULKAN_1", "VULKAN_1_");
    let vendor = vendor.map_or(String::new(), |vendor| format!("_{vendor}"));
    format!("VK_STRUCTURE_TYPE_{text}{vendor}")
}

/// The text of the header around the list of features, which replaces [`MARK`].
const TEMPLATE: &str = include_str!("../templates/glasm_vulkan.h");

/// The line of the template for the list of features.
const MARK: &str = "@FEATURES@\n";

/// Features of structures that a version of Vulkan unites. Vulkan does not allow these together with
/// the structures of the table: VUID-VkDeviceCreateInfo-pNext-02829 and 06532.
const UNITED: &[(&str, u32)] = &[
    ("storageBuffer16BitAccess", 11),
    ("uniformAndStorageBuffer16BitAccess", 11),
    ("storagePushConstant16", 11),
    ("storageInputOutput16", 11),
    ("multiview", 11),
    ("multiviewGeometryShader", 11),
    ("multiviewTessellationShader", 11),
    ("variablePointersStorageBuffer", 11),
    ("variablePointers", 11),
    ("protectedMemory", 11),
    ("samplerYcbcrConversion", 11),
    ("shaderDrawParameters", 11),
    ("robustImageAccess", 13),
    ("inlineUniformBlock", 13),
    ("descriptorBindingInlineUniformBlockUpdateAfterBind", 13),
    ("pipelineCreationCacheControl", 13),
    ("privateData", 13),
    ("shaderDemoteToHelperInvocation", 13),
    ("shaderTerminateInvocation", 13),
    ("subgroupSizeControl", 13),
    ("computeFullSubgroups", 13),
    ("synchronization2", 13),
    ("textureCompressionASTC_HDR", 13),
    ("shaderZeroInitializeWorkgroupMemory", 13),
    ("dynamicRendering", 13),
    ("shaderIntegerDotProduct", 13),
    ("maintenance4", 13),
];

/// Appends the member of a structure.
fn write_member(header: &mut String, name: &str, structure: &str, member: &str) {
    let ty = make_structure_type(structure);
    writeln!(
        header,
        "        {{\"{name}\", {ty},\n            offsetof({structure}, {member})}},"
    )
    .unwrap();
}

/// Checks that the members of one feature follow each other, as the functions of the header require.
#[track_caller]
fn check_order(header: &str) {
    let lines = header
        .lines()
        .filter_map(|line| line.trim().strip_prefix("{\""));
    let names: Vec<&str> = lines.map(|line| line.split('"').next().unwrap()).collect();
    let mut runs = names.clone();
    runs.dedup();
    let count = runs.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert!(count == runs.len() && count > 20, "{names:?}");
}

fn generate_header() -> String {
    let structures = read_structures();
    let mut header = String::new();
    for Feature { name, place } in list_features() {
        let place: String = place.chars().filter(|c| !" ()\n".contains(*c)).collect();
        let Some((chains, _)) = place.split_once('.') else {
            continue;
        };
        for chain in chains.split('|') {
            if chain == "core" {
                let member = format!("features.{name}");
                write_member(&mut header, name, "VkPhysicalDeviceFeatures2", &member);
            } else {
                write_member(&mut header, name, &structures[chain], name);
            }
        }
        if let Some((_, version)) = UNITED.iter().find(|(united, _)| *united == name) {
            if *version == 13 {
                header += "#ifdef VK_VERSION_1_3\n";
            }
            let structure = format!("VkPhysicalDeviceVulkan{version}Features");
            write_member(&mut header, name, &structure, name);
            if *version == 13 {
                header += "#endif\n";
            }
        }
    }
    check_order(&header);
    TEMPLATE.replacen(MARK, &header, 1)
}

/// The names are those of vulkan_core.h, which other machines may lack.
#[test]
fn structure_types_have_the_names_of_vulkan() {
    for (structure, expected) in [
        ("Features2", "FEATURES_2"),
        ("Vulkan11Features", "VULKAN_1_1_FEATURES"),
        ("Vulkan12Features", "VULKAN_1_2_FEATURES"),
        ("Vulkan13Features", "VULKAN_1_3_FEATURES"),
        ("8BitStorageFeatures", "8BIT_STORAGE_FEATURES"),
        ("16BitStorageFeatures", "16BIT_STORAGE_FEATURES"),
        ("ShaderFloat16Int8Features", "SHADER_FLOAT16_INT8_FEATURES"),
        ("ShaderAtomicInt64Features", "SHADER_ATOMIC_INT64_FEATURES"),
        ("Robustness2FeaturesEXT", "ROBUSTNESS_2_FEATURES_EXT"),
        ("IndexTypeUint8FeaturesEXT", "INDEX_TYPE_UINT8_FEATURES_EXT"),
        ("ShaderClockFeaturesKHR", "SHADER_CLOCK_FEATURES_KHR"),
    ] {
        let found = make_structure_type(&format!("VkPhysicalDevice{structure}"));
        let expected = format!("VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_{expected}");
        assert_eq!(found, expected);
    }
}

#[test]
fn the_header_is_what_the_table_says() {
    let path = crate_dir().join("include/glasm_vulkan.h");
    let header = generate_header();
    if std::env::var_os("GLASM_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == committed,
        "include/glasm_vulkan.h is not up to date, see the top of this file"
    );
}

/// Compiles the header with that of Vulkan, which checks all members, and runs its functions.
#[test]
fn features_are_found_in_c() {
    const VULKAN: &str =
        "#include <vulkan/vulkan.h>\nint main(void) { return VK_API_VERSION_1_3 == 0; }\n";
    if !check_compiles(VULKAN, &["-fsyntax-only"], "the Vulkan headers") {
        return;
    }
    if let Some(program) = build("tests/c/vulkan.c", Linkage::Shared, &[]) {
        run(&mut Command::new(program));
    }
}
