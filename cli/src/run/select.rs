//! Which scripts run: those below the paths of the command line that pass the filters, or this machine's share of them.

use crate::args::{RunArgs, Shard};
use crate::console::Fatal;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Finds the scripts of the command line, each once, in the order of the command line and below a
/// directory by path.
pub(crate) fn find_scripts(args: &RunArgs) -> Result<Vec<PathBuf>, Fatal> {
    let mut scripts = Vec::new();
    let mut seen = HashSet::new();
    for path in &args.scripts {
        // A path that is not there would pass as a directory without scripts.
        std::fs::metadata(path).map_err(|error| Fatal::io(path.display(), &error))?;
        scripts.extend(glasm_vkrunner::find_scripts(path));
    }
    scripts.retain(|script| seen.insert(script.clone()));
    Ok(scripts)
}

/// Those of the scripts that run.
pub(crate) fn select_scripts(
    args: &RunArgs,
    mut scripts: Vec<PathBuf>,
) -> Result<Vec<PathBuf>, Fatal> {
    scripts.retain(|script| passes(script, &args.filter));
    if scripts.is_empty() {
        return Err(Fatal("no scripts found".to_owned()));
    }
    Ok(match args.shard {
        Some(shard) => share(scripts, shard),
        None => scripts,
    })
}

/// Returns whether the path contains one of the texts, if there are any, and none of those after a
/// `!`.
fn passes(script: &Path, filters: &[String]) -> bool {
    let path = script.to_string_lossy();
    let (unwanted, wanted): (Vec<&str>, Vec<&str>) = filters
        .iter()
        .map(String::as_str)
        .partition(|filter| filter.starts_with('!'));
    let mut unwanted = unwanted
        .iter()
        .filter_map(|filter| filter.strip_prefix('!'));
    (wanted.is_empty() || wanted.iter().any(|text| path.contains(text)))
        && !unwanted.any(|text| path.contains(text))
}

/// Every n-th script: neighbors, which often take alike long, go to different machines. May be empty, which is no mistake.
fn share(scripts: Vec<PathBuf>, shard: Shard) -> Vec<PathBuf> {
    scripts
        .into_iter()
        .skip(usize::from(shard.number - 1))
        .step_by(usize::from(shard.count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_want_and_refuse() {
        let passes = |filters: &[&str]| {
            let filters: Vec<String> = filters.iter().map(|&filter| filter.into()).collect();
            passes(Path::new("tests/gp/atom.shader_test"), &filters)
        };
        assert!(passes(&[]) && passes(&["atom"]) && passes(&["x", "gp/"]));
        assert!(!passes(&["x"]) && !passes(&["!gp"]) && !passes(&["atom", "!tests"]));
        assert!(passes(&["!x"]) && passes(&["atom", "!x"]));
    }

    #[test]
    fn shares_cover_everything_once() {
        let scripts: Vec<PathBuf> = (0..10).map(|number| number.to_string().into()).collect();
        let share = |number| share(scripts.clone(), Shard { number, count: 3 });
        assert_eq!(share(1), ["0", "3", "6", "9"].map(PathBuf::from));
        let mut all = [share(1), share(2), share(3)].concat();
        all.sort();
        assert_eq!(all, scripts);
        let second = Shard {
            number: 2,
            count: 2,
        };
        assert!(super::share(scripts[..1].to_vec(), second).is_empty());
    }
}
