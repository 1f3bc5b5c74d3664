//! Occlusion tests, occlusion queries and draws that depend on them: NV_occlusion_query with
//! HP_occlusion_test, NVX_conditional_render, by queries of the driver.

use crate::context::State;
use crate::ffi::async_objects::{create_query, delete_query, query_target_value, query_value};
use crate::ffi::driver;
use crate::ffi::driver::constants::{
    ANY_SAMPLES_PASSED, ANY_SAMPLES_PASSED_CONSERVATIVE, CURRENT_QUERY, QUERY_COUNTER_BITS,
    QUERY_RESULT, QUERY_RESULT_AVAILABLE, QUERY_WAIT, SAMPLES_PASSED,
};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION};
use rustc_hash::FxHashMap;

/// `OCCLUSION_TEST_HP`
pub(crate) const OCCLUSION_TEST: u32 = 0x8165;
/// `OCCLUSION_TEST_RESULT_HP`
const OCCLUSION_TEST_RESULT: u32 = 0x8166;
/// `PIXEL_COUNTER_BITS_NV`
const PIXEL_COUNTER_BITS: u32 = 0x8864;
/// `CURRENT_OCCLUSION_QUERY_ID_NV`
const CURRENT_OCCLUSION_QUERY: u32 = 0x8865;
/// `PIXEL_COUNT_NV`
const PIXEL_COUNT: u32 = 0x8866;
/// `PIXEL_COUNT_AVAILABLE_NV`
const PIXEL_COUNT_AVAILABLE: u32 = 0x8867;

/// Occlusion queries of a context.
#[derive(Debug, Default)]
pub(crate) struct OcclusionQueries {
    /// Names of the driver's queries by the application's names; `None` for names that were
    /// generated only.
    queries: FxHashMap<u32, Option<u32>>,
    /// Last name that was generated.
    last_name: u32,
    /// The active query: the application's name.
    active: Option<u32>,
    /// `OCCLUSION_TEST_HP`
    pub(crate) is_testing: bool,
    /// Query of the driver that counts fragments for the test, and whether it is active.
    test_query: u32,
    is_test_active: bool,
    /// True if a fragment has passed since the result of the test was reset, by the results that
    /// were read.
    has_passed: bool,
    /// Queries of the driver whose results are part of the result of the test.
    unread: Vec<u32>,
    /// Version of the driver's OpenGL, as 45, which determines the targets of its queries.
    pub(crate) driver_version: u32,
}

/// Targets of the driver's queries that count fragments, with the version of OpenGL that has them.
/// At most one of them has an active query.
const OCCLUSION_TARGETS: [(u32, u32); 3] = [
    (SAMPLES_PASSED, 0),
    (ANY_SAMPLES_PASSED, 33),
    (ANY_SAMPLES_PASSED_CONSERVATIVE, 43),
];

impl OcclusionQueries {
    /// Returns an unused name and marks it as used.
    pub(crate) fn generate_name(&mut self) -> u32 {
        loop {
            self.last_name = self.last_name.wrapping_add(1).max(1);
            if !self.queries.contains_key(&self.last_name) {
                self.queries.insert(self.last_name, None);
                return self.last_name;
            }
        }
    }

    /// Returns true if an occlusion query is active.
    pub(crate) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Returns true if a name is that of a query that was begun.
    pub(crate) fn is_query(&self, name: u32) -> bool {
        matches!(self.queries.get(&name), Some(Some(_)))
    }

    /// Deletes a query, which is not active; ignores unused names.
    pub(crate) fn delete(&mut self, name: u32) {
        if let Some(Some(query)) = self.queries.remove(&name) {
            self.read_test();
            delete_query(query);
        }
    }

    /// Reads the results of the ended queries into the result of the test.
    fn read_test(&mut self) {
        for query in self.unread.drain(..) {
            self.has_passed |= query_value(query, QUERY_RESULT) != 0;
        }
    }

    /// Returns the driver's active query of those that count fragments; 0 if there is none.
    pub(crate) fn read_active_query(&self) -> u32 {
        let targets = OCCLUSION_TARGETS.iter();
        let mut targets = targets.filter(|(_, version)| *version <= self.driver_version);
        let query = targets.find_map(|(target, _)| {
            let query = query_target_value(*target, CURRENT_QUERY);
            (query != 0).then_some(query)
        });
        query.unwrap_or(0)
    }

    /// Begins to count fragments for the test, if it is enabled and no query of the application
    /// does.
    fn begin_test(&mut self) {
        if !self.is_testing || self.is_test_active || self.read_active_query() != 0 {
            return;
        }
        if self.test_query == 0 {
            self.test_query = create_query();
        }
        driver::BeginQuery(SAMPLES_PASSED, self.test_query);
        self.is_test_active = true;
    }

    /// Ends to count fragments for the test.
    fn end_test(&mut self) {
        if std::mem::take(&mut self.is_test_active) {
            driver::EndQuery(SAMPLES_PASSED);
            self.unread.push(self.test_query);
        }
    }

    /// Enables or disables `OCCLUSION_TEST_HP`.
    pub(crate) fn set_testing(&mut self, enabled: bool) {
        self.is_testing = enabled;
        if enabled {
            self.read_test();
            self.begin_test();
        } else {
            self.end_test();
        }
    }

    /// Returns the result of the test and resets it: section 6.1.13.
    fn take_result(&mut self) -> bool {
        self.end_test();
        self.read_test();
        let result = std::mem::take(&mut self.has_passed);
        self.begin_test();
        result
    }

    /// Ends the counting of fragments for the test, before the application begins a query of the
    /// driver: one target has one active query.
    pub(crate) fn prepare_driver_query(&mut self, target: u32) {
        if self.is_test_active && is_occlusion_target(target) {
            self.end_test();
            self.read_test();
        }
    }

    /// Continues the test after the application has ended a query of the driver, which was
    /// `query`.
    pub(crate) fn resume_after_driver_query(&mut self, target: u32, query: u32) {
        if self.is_testing && self.active.is_none() && is_occlusion_target(target) {
            self.has_passed |= query != 0 && query_value(query, QUERY_RESULT) != 0;
            self.begin_test();
        }
    }
}

/// Returns true if queries of a target count fragments.
fn is_occlusion_target(target: u32) -> bool {
    OCCLUSION_TARGETS.iter().any(|(known, _)| *known == target)
}

/// Executes `BeginOcclusionQueryNV`: creates the query if there is none. Records
/// `GL_INVALID_OPERATION` if one is active, also one of the driver.
pub(crate) fn begin_query(state: &mut State, name: u32) {
    let queries = &mut state.extensions.occlusion;
    queries.end_test();
    if queries.active.is_some() || queries.read_active_query() != 0 {
        return state.record_error(INVALID_OPERATION);
    }
    queries.unread.clear();
    queries.has_passed = false;
    let entry = queries.queries.entry(name).or_default();
    let query = *entry.get_or_insert_with(create_query);
    driver::BeginQuery(SAMPLES_PASSED, query);
    queries.active = Some(name);
}

/// Executes `EndOcclusionQueryNV`. Records `GL_INVALID_OPERATION` if no query is active.
pub(crate) fn end_query(state: &mut State) {
    let queries = &mut state.extensions.occlusion;
    let Some(name) = queries.active.take() else {
        return state.record_error(INVALID_OPERATION);
    };
    driver::EndQuery(SAMPLES_PASSED);
    if let Some(Some(query)) = queries.queries.get(&name) {
        queries.unread.push(*query);
    }
    queries.begin_test();
}

/// Returns the count of a query, or whether it is available. Records `GL_INVALID_OPERATION` between
/// `Begin` and `End`, for names of no query and for the active one, `GL_INVALID_ENUM` for other
/// values, and returns `None`.
pub(crate) fn query_count(state: &mut State, name: u32, value: u32) -> Option<u32> {
    let queries = &state.extensions.occlusion;
    let query = queries.queries.get(&name).copied().flatten();
    let query = query.filter(|_| queries.active != Some(name) && !state.is_inside_begin_end);
    let Some(query) = query else {
        state.record_error(INVALID_OPERATION);
        return None;
    };
    match value {
        PIXEL_COUNT => Some(query_value(query, QUERY_RESULT)),
        PIXEL_COUNT_AVAILABLE => Some(query_value(query, QUERY_RESULT_AVAILABLE)),
        _ => {
            state.record_error(INVALID_ENUM);
            None
        }
    }
}

/// Returns the state of occlusion tests and queries that `GetIntegerv` has under a name, which is
/// not between `Begin` and `End`; `None` for other names. Querying the result of the test resets it.
pub(crate) fn query_integer(state: &mut State, name: u32) -> Option<i32> {
    let queries = &mut state.extensions.occlusion;
    Some(match name {
        OCCLUSION_TEST => queries.is_testing.into(),
        OCCLUSION_TEST_RESULT => queries.take_result().into(),
        PIXEL_COUNTER_BITS => query_target_value(SAMPLES_PASSED, QUERY_COUNTER_BITS) as i32,
        CURRENT_OCCLUSION_QUERY => queries.active.unwrap_or(0) as i32,
        _ => return None,
    })
}

/// Executes `BeginConditionalRenderNVX`, which waits for the result: for an occlusion query of this
/// library, otherwise for one of the driver, with the errors of `BeginConditionalRender`. Records
/// `GL_INVALID_OPERATION` for the active query.
pub(crate) fn begin_conditional_render(state: &mut State, name: u32) {
    let queries = &state.extensions.occlusion;
    if queries.active == Some(name) {
        return state.record_error(INVALID_OPERATION);
    }
    let query = queries.queries.get(&name).copied().flatten();
    driver::BeginConditionalRender(query.unwrap_or(name), QUERY_WAIT);
}
