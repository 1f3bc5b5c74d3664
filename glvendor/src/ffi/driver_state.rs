//! Values that the driver writes: state of GL.

use super::driver;
use crate::glsl_output::NamedResource;
use crate::texture_images::{ImageRegion, PixelStorage};
use std::ffi::{CStr, CString, c_char, c_void};

/// Upper bound on the number of components of queried state.
const MOST: usize = 16;

/// Defines functions that return the first `N` values which a command of the driver writes.
macro_rules! queries {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $of:ty),*) -> [$ty:ty] = $command:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name<const N: usize>($($parameter: $of),*) -> [$ty; N] {
            const { assert!(N <= MOST) };
            let mut values = [<$ty>::default(); MOST];
            // SAFETY: none of the queried states has more components.
            unsafe { driver::$command($($parameter,)* values.as_mut_ptr()) };
            std::array::from_fn(|n| values[n])
        }
    )*};
}

queries! {
    /// Queries state of the context as floats (`glGetFloatv`).
    fn floats(name: u32) -> [f32] = GetFloatv;
    /// Queries state of the context as doubles (`glGetDoublev`).
    fn doubles(name: u32) -> [f64] = GetDoublev;
    /// Queries state of the context as integers (`glGetIntegerv`).
    fn integers(name: u32) -> [i32] = GetIntegerv;
    /// Queries an element of indexed state as integers (`glGetIntegeri_v`).
    fn indexed_integers(name: u32, index: u32) -> [i32] = GetIntegeri_v;
    /// Queries a parameter of a light (`glGetLightfv`).
    fn light(light: u32, name: u32) -> [f32] = GetLightfv;
    /// Queries a property of the material of a face (`glGetMaterialfv`).
    fn material(face: u32, name: u32) -> [f32] = GetMaterialfv;
    /// Returns a value of texture coordinate generation of the active unit.
    fn tex_gen(coordinate: u32, name: u32) -> [f32] = GetTexGenfv;
    /// Returns a mode of texture coordinate generation of the active unit.
    fn tex_gen_mode(coordinate: u32, name: u32) -> [i32] = GetTexGeniv;
    /// Returns a value of the texture environment of the active unit.
    fn tex_env(target: u32, name: u32) -> [f32] = GetTexEnvfv;
    /// Returns a mode of the texture environment of the active unit.
    fn tex_env_mode(target: u32, name: u32) -> [i32] = GetTexEnviv;
    /// Queries the equation of a clip plane in eye space (`glGetClipPlane`).
    fn clip_plane(plane: u32) -> [f64] = GetClipPlane;
    /// Returns a parameter of the texture that is bound to a target of the active unit.
    fn tex_parameter(target: u32, name: u32) -> [i32] = GetTexParameteriv;
    /// Queries a parameter of the bound texture as floats.
    fn tex_parameter_float(target: u32, name: u32) -> [f32] = GetTexParameterfv;
    /// Queries a parameter of a level of the bound texture.
    fn tex_level_parameter(target: u32, level: i32, name: u32) -> [i32] = GetTexLevelParameteriv;
    /// Queries a parameter of a sampler object as integers.
    fn sampler_parameter(sampler: u32, name: u32) -> [i32] = GetSamplerParameteriv;
    /// Queries a parameter of a sampler object as floats.
    fn sampler_parameter_float(sampler: u32, name: u32) -> [f32] = GetSamplerParameterfv;
    /// Returns a value of an array of a numbered attribute.
    fn attribute_array(number: u32, name: u32) -> [i32] = GetVertexAttribiv;
    /// Queries a property of a numbered attribute as floats, such as its current value.
    fn current_attribute(number: u32, name: u32) -> [f32] = GetVertexAttribfv;
    /// Queries the current value of a numbered attribute that was set as integers.
    fn current_integers(number: u32, name: u32) -> [u32] = GetVertexAttribIuiv;
    /// Queries the order of an evaluator map (`glGetMapiv`).
    fn map_integers(target: u32, name: u32) -> [i32] = GetMapiv;
    /// Queries the domain of an evaluator map (`glGetMapfv`).
    fn map_floats(target: u32, name: u32) -> [f32] = GetMapfv;
    /// Queries a property of a shader object, such as its compile status.
    fn shader(shader: u32, name: u32) -> [i32] = GetShaderiv;
    /// Queries a property of a program object, such as its link status.
    fn program(program: u32, name: u32) -> [i32] = GetProgramiv;
    /// Returns a value of the driver's program of a target of ARB_vertex_program.
    fn arb_program(target: u32, name: u32) -> [i32] = GetProgramivARB;
    /// Returns a value of a program of the driver, in contexts with EXT_direct_state_access.
    fn named_arb_program(program: u32, target: u32, name: u32) -> [i32] = GetNamedProgramivEXT;
}

/// Queries the current value of a numbered attribute as four floats.
pub(crate) fn current_attribute_value(number: u32) -> [f32; 4] {
    current_attribute(number, driver::constants::CURRENT_VERTEX_ATTRIB)
}

/// Returns the current value of a numbered attribute of integers, as bits.
pub(crate) fn current_attribute_bits(number: u32) -> [u32; 4] {
    current_integers(number, driver::constants::CURRENT_VERTEX_ATTRIB)
}

/// Replaces the current matrix of the matrix mode; `matrix` is in column-major order.
pub(crate) fn load_matrix(matrix: &[f32; 16]) {
    // SAFETY: a matrix has sixteen elements.
    unsafe { driver::LoadMatrixf(matrix.as_ptr()) };
}

/// Queries the control points of an evaluator map, as `count` floats. `count` must be the product
/// of the map's orders and components, which the driver writes.
pub(crate) fn map_points(target: u32, count: usize) -> Vec<f32> {
    let mut values = vec![0.0; count];
    // SAFETY: the buffer has the size that the driver's orders require.
    unsafe { driver::GetMapfv(target, driver::constants::COEFF, values.as_mut_ptr()) };
    values
}

/// Queries one integer of the context, such as a limit.
pub(crate) fn integer(name: u32) -> i32 {
    integers::<1>(name)[0]
}

/// Queries a boolean of the context.
pub(crate) fn is_true(name: u32) -> bool {
    integer(name) != 0
}

/// Generates a texture name in the driver.
pub(crate) fn create_texture() -> u32 {
    let mut texture = 0;
    // SAFETY: there is space for one name.
    unsafe { driver::GenTextures(1, &mut texture) };
    texture
}

/// Deletes a texture of the driver.
pub(crate) fn delete_texture(texture: u32) {
    // SAFETY: one name.
    unsafe { driver::DeleteTextures(1, &texture) };
}

/// Creates a two-dimensional texture of `RGBA32F` with one level, and copies the texels of a
/// texture of the same size and format to it. Returns its name; the binding of the active unit is
/// restored. Whether the driver rejects the copy is not checked.
pub(crate) fn copy_texture(texture: u32, [width, height]: [i32; 2]) -> u32 {
    const TEXTURE_2D: u32 = 0x0DE1;
    let bound = integer(0x8069) as u32;
    let copy = create_texture();
    driver::BindTexture(TEXTURE_2D, copy);
    driver::TexParameteri(TEXTURE_2D, 0x2801, 0x2600);
    driver::TexStorage2D(TEXTURE_2D, 1, driver::constants::RGBA32F, width, height);
    driver::CopyImageSubData(
        texture, TEXTURE_2D, 0, 0, 0, 0, copy, TEXTURE_2D, 0, 0, 0, 0, width, height, 1,
    );
    driver::BindTexture(TEXTURE_2D, bound);
    copy
}

/// Returns the last of `count` new names of buffers; the others are freed again. 0 if the driver
/// returns none.
pub(crate) fn last_new_buffer_name(count: usize) -> u32 {
    let mut names = vec![0; count];
    let length = i32::try_from(count).unwrap_or(0);
    // SAFETY: the list has `length` elements.
    unsafe { driver::GenBuffers(length, names.as_mut_ptr()) };
    let last = names.pop().unwrap_or(0);
    // SAFETY: the list has one element less.
    unsafe { driver::DeleteBuffers(length.saturating_sub(1), names.as_ptr()) };
    last
}

/// Draws `count` vertices without attributes other than their numbers, with a temporary vertex
/// array object; the application's is bound again afterwards.
pub(crate) fn draw_without_arrays(mode: u32, count: i32) {
    let bound = integer(driver::constants::VERTEX_ARRAY_BINDING) as u32;
    let mut no_arrays = 0;
    // SAFETY: one name is written.
    unsafe { driver::GenVertexArrays(1, &mut no_arrays) };
    driver::BindVertexArray(no_arrays);
    driver::DrawArrays(mode, 0, count);
    driver::BindVertexArray(bound);
    // SAFETY: one name is read.
    unsafe { driver::DeleteVertexArrays(1, &no_arrays) };
}

/// Source of pixels.
pub(crate) enum UnpackSource {
    /// Memory of the application: no buffer is bound.
    Memory,
    /// Bytes of the bound buffer.
    Buffer(Vec<u8>),
    /// The bound buffer is mapped or has no such bytes, which is an error.
    Missing,
}

/// Returns the `size` bytes from `offset` on of the buffer that pixels are read from
/// (`PIXEL_UNPACK_BUFFER`), or the variant that says why there are none. A buffer that is mapped,
/// except persistently, is not read.
pub(crate) fn unpacked_bytes(offset: usize, size: u64) -> UnpackSource {
    const BUFFER_MAPPED: u32 = 0x88BC;
    const BUFFER_ACCESS_FLAGS: u32 = 0x911F;
    const PERSISTENT: i32 = 0x0040;
    if !is_true(driver::constants::PIXEL_UNPACK_BUFFER_BINDING) {
        return UnpackSource::Memory;
    }
    let target = driver::constants::PIXEL_UNPACK_BUFFER;
    let value = |name: u32| {
        let mut value = 0;
        // SAFETY: each of these states is one number.
        unsafe { driver::GetBufferParameteriv(target, name, &mut value) };
        value
    };
    let is_mapped = value(BUFFER_MAPPED) != 0 && value(BUFFER_ACCESS_FLAGS) & PERSISTENT == 0;
    let buffer_size = u64::try_from(value(driver::constants::BUFFER_SIZE)).unwrap_or(0);
    let end = size.checked_add(offset as u64);
    if is_mapped || end.is_none_or(|end| end > buffer_size) {
        return UnpackSource::Missing;
    }
    // The buffer is as large: the sizes fit.
    let mut bytes = vec![0; size as usize];
    // SAFETY: the list has as many bytes, and so has the buffer from the offset on.
    unsafe {
        driver::GetBufferSubData(
            target,
            offset as isize,
            size as isize,
            bytes.as_mut_ptr().cast(),
        )
    };
    UnpackSource::Buffer(bytes)
}

/// Moves the raster position, if it is valid, by a bitmap without bits.
pub(crate) fn move_raster_position(x: f32, y: f32) {
    // SAFETY: a bitmap of no size has no bits.
    unsafe { driver::Bitmap(0, 0, 0.0, 0.0, x, y, std::ptr::null()) };
}

/// Returns true if the driver has a capability enabled.
pub(crate) fn is_enabled(capability: u32) -> bool {
    driver::IsEnabled(capability) != 0
}

/// Queries the position of a sample in its pixel, from 0 to 1; the center if the driver writes
/// none.
pub(crate) fn sample_position(sample: u32) -> [f32; 2] {
    let mut position = [0.5; 2];
    // SAFETY: a position has two coordinates.
    unsafe { driver::GetMultisamplefv(0x8E50, sample, position.as_mut_ptr()) };
    position
}

/// Returns the address that an array begins at: `VERTEX_ARRAY_POINTER`.
pub(crate) fn array_pointer(name: u32) -> usize {
    let mut pointer: *const c_void = std::ptr::null();
    // SAFETY: the state is one pointer.
    unsafe { driver::GetPointerv(name, (&raw mut pointer).cast()) };
    pointer as usize
}

/// Sets the array of a numbered attribute in the bound vertex array object, beginning at an
/// address, or at an offset of the buffer if one is bound to `ARRAY_BUFFER`. `is_fraction`
/// normalizes integers. Does not enable the array.
pub(crate) fn set_attribute_array(
    number: u32,
    size: i32,
    kind: u32,
    is_fraction: bool,
    stride: i32,
    pointer: usize,
) {
    // SAFETY: the driver stores the address; it is that of an array of the application.
    unsafe {
        driver::VertexAttribPointer(
            number,
            size,
            kind,
            is_fraction.into(),
            stride,
            pointer as *const _,
        )
    };
}

/// Copies a string of the driver; an empty one for null.
fn copy_string(text: *const u8) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: strings of the driver end with a zero.
    unsafe { CStr::from_ptr(text.cast::<c_char>()) }
        .to_string_lossy()
        .into_owned()
}

/// Queries a string of the driver, such as `VERSION`; empty if it returns none.
pub(crate) fn string(name: u32) -> String {
    // SAFETY: the result is checked.
    copy_string(unsafe { driver::GetString(name) })
}

/// Queries an element of a list of strings, such as `EXTENSIONS`; empty if there is none.
pub(crate) fn indexed_string(name: u32, index: u32) -> String {
    // SAFETY: the result is checked.
    copy_string(unsafe { driver::GetStringi(name, index) })
}

/// Loads a program string into the program that is bound to a target of ARB_vertex_program in the
/// driver. Returns the byte position of the error, -1 if there is none. Discards the driver's error
/// of GL, so that callers save a pending one before.
pub(crate) fn load_arb_program(target: u32, text: &[u8]) -> i32 {
    let Ok(length) = i32::try_from(text.len()) else {
        return 0;
    };
    // SAFETY: the text has that length.
    unsafe { driver::ProgramStringARB(target, 0x8875, length, text.as_ptr().cast()) };
    let position = integer(0x864B);
    if position != -1 {
        // Discards the driver's errors about programs that are unknown to the application.
        driver::GetError();
    }
    position
}

/// Returns new names of programs from the driver; `None` if the driver has no programs, which
/// leaves a name 0.
pub(crate) fn generate_program_names(count: usize) -> Option<Vec<u32>> {
    let mut names = vec![0; count];
    // SAFETY: the buffer has space for `count` names.
    unsafe { driver::GenProgramsARB(i32::try_from(count).ok()?, names.as_mut_ptr()) };
    names.iter().all(|&name| name != 0).then_some(names)
}

/// Deletes assembly programs of the driver by name.
pub(crate) fn delete_programs(names: &[u32]) {
    let count = i32::try_from(names.len()).unwrap_or(i32::MAX);
    // SAFETY: there are as many names.
    unsafe { driver::DeleteProgramsARB(count, names.as_ptr()) };
}

/// Sets a parameter of the driver's program environment.
pub(crate) fn set_env_parameter(target: u32, index: u32, value: [f32; 4]) {
    // SAFETY: four components.
    unsafe { driver::ProgramEnvParameter4fvARB(target, index, value.as_ptr()) };
}

/// Sets a local parameter of the driver's bound program.
pub(crate) fn set_local_parameter(target: u32, index: u32, value: [f32; 4]) {
    // SAFETY: four components.
    unsafe { driver::ProgramLocalParameter4fvARB(target, index, value.as_ptr()) };
}

/// Creates a shader of the kind (`GL_VERTEX_SHADER`) from a module, whose first specialization
/// constants have these values. `Err` has the driver's information log; the shader is deleted then.
pub(crate) fn create_spirv_shader(
    kind: u32,
    words: &[u32],
    constants: &[u32],
) -> Result<u32, String> {
    let shader = driver::CreateShader(kind);
    let bytes =
        i32::try_from(size_of_val(words)).map_err(|_| "a module of two gigabytes".to_owned())?;
    // SAFETY: the module has as many bytes, and there is one shader.
    unsafe { driver::ShaderBinary(1, &shader, 0x9551, words.as_ptr().cast(), bytes) };
    let numbers: Vec<u32> = (0..).take(constants.len()).collect();
    // Some systems have commands only under their names in the version of the context.
    let specialize = if driver::has("glSpecializeShader") {
        driver::SpecializeShader
    } else {
        driver::SpecializeShaderARB
    };
    // SAFETY: there are as many numbers as constants.
    unsafe {
        specialize(
            shader,
            c"main".as_ptr(),
            constants.len() as u32,
            numbers.as_ptr(),
            constants.as_ptr(),
        )
    };
    check_compiled(shader)
}

/// Creates a shader of the kind (`GL_VERTEX_SHADER`) from GLSL and compiles it. `Err` has the
/// driver's information log; the shader is deleted then.
pub(crate) fn create_glsl_shader(kind: u32, text: &str) -> Result<u32, String> {
    let shader = driver::CreateShader(kind);
    let bytes = i32::try_from(text.len()).map_err(|_| "a text of two gigabytes".to_owned())?;
    // SAFETY: there is one text, which has as many bytes.
    unsafe { driver::ShaderSource(shader, 1, &text.as_ptr().cast(), &bytes) };
    driver::CompileShader(shader);
    check_compiled(shader)
}

/// Returns the shader if the driver has compiled it; otherwise deletes it and returns the first 4
/// KiB of its information log.
fn check_compiled(shader: u32) -> Result<u32, String> {
    if self::shader::<1>(shader, 0x8B81) == [0] {
        let mut log = vec![0_u8; 4096];
        let mut length = 0;
        // SAFETY: the buffer has this size.
        unsafe { driver::GetShaderInfoLog(shader, 4096, &mut length, log.as_mut_ptr().cast()) };
        log.truncate(usize::try_from(length).unwrap_or(0));
        driver::DeleteShader(shader);
        return Err(String::from_utf8_lossy(&log).into_owned());
    }
    Ok(shader)
}

/// Links shaders to a new program object and marks the shaders as deleted, also on failure; a
/// separable program can be part of a pipeline object. `Err` has the first 4 KiB of the driver's
/// information log; the program object is deleted then.
pub(crate) fn link_program(shaders: &[u32], is_separable: bool) -> Result<u32, String> {
    let program = driver::CreateProgram();
    if is_separable {
        driver::ProgramParameteri(program, driver::constants::PROGRAM_SEPARABLE, 1);
    }
    for &shader in shaders {
        driver::AttachShader(program, shader);
        driver::DeleteShader(shader);
    }
    driver::LinkProgram(program);
    // Attached shaders would keep their names.
    for &shader in shaders {
        driver::DetachShader(program, shader);
    }
    if self::program::<1>(program, 0x8B82) == [0] {
        let mut log = vec![0_u8; 4096];
        let mut length = 0;
        // SAFETY: the buffer has this size.
        unsafe { driver::GetProgramInfoLog(program, 4096, &mut length, log.as_mut_ptr().cast()) };
        log.truncate(usize::try_from(length).unwrap_or(0));
        driver::DeleteProgram(program);
        return Err(String::from_utf8_lossy(&log).into_owned());
    }
    Ok(program)
}

/// Queries the shaders that are attached to a program object.
pub(crate) fn attached_shaders(program: u32) -> Vec<u32> {
    let [count] = self::program(program, driver::constants::ATTACHED_SHADERS);
    let mut shaders = vec![0; usize::try_from(count).unwrap_or(0)];
    let mut written = 0;
    // SAFETY: there is space for as many names.
    unsafe { driver::GetAttachedShaders(program, count, &mut written, shaders.as_mut_ptr()) };
    shaders.truncate(usize::try_from(written).unwrap_or(0));
    shaders
}

/// Queries the source of a shader object; invalid UTF-8 is replaced.
pub(crate) fn shader_source(shader: u32) -> String {
    let [size] = self::shader(shader, driver::constants::SHADER_SOURCE_LENGTH);
    let mut text = vec![0_u8; usize::try_from(size).unwrap_or(0)];
    let mut written = 0;
    // SAFETY: the buffer has this size.
    unsafe { driver::GetShaderSource(shader, size, &mut written, text.as_mut_ptr().cast()) };
    text.truncate(usize::try_from(written).unwrap_or(0));
    String::from_utf8_lossy(&text).into_owned()
}

/// Generates the name of a program pipeline object in the driver.
pub(crate) fn generate_pipeline_name() -> u32 {
    let mut name = 0;
    // SAFETY: there is space for one name.
    unsafe { driver::GenProgramPipelines(1, &mut name) };
    name
}

/// Sets the binding of a resource, a texture or a uniform block, of a program object whose source
/// does not specify it. The current program is the same afterwards. Does nothing if the linked
/// program does not use the resource.
pub(crate) fn set_binding(program: u32, resource: &NamedResource) {
    let Ok(name) = CString::new(resource.name.as_str()) else {
        return;
    };
    if !resource.is_texture {
        // SAFETY: the name ends with a zero.
        let block = unsafe { driver::GetUniformBlockIndex(program, name.as_ptr()) };
        if block != u32::MAX {
            driver::UniformBlockBinding(program, block, resource.binding);
        }
        return;
    }
    // SAFETY: the name ends with a zero.
    let location = unsafe { driver::GetUniformLocation(program, name.as_ptr()) };
    let used = integer(driver::constants::CURRENT_PROGRAM) as u32;
    driver::UseProgram(program);
    driver::Uniform1i(location, resource.binding as i32);
    driver::UseProgram(used);
}

/// Deletes a buffer of the driver.
pub(crate) fn delete_buffer(buffer: u32) {
    // SAFETY: one name; 0 is ignored.
    unsafe { driver::DeleteBuffers(1, &buffer) };
}

/// Method of binding buffers to the uniform buffer bindings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum BindMethod {
    /// Bindings are set one at a time, which also binds to the generic target.
    #[default]
    Single,
    /// `ARB_multi_bind`
    Multiple,
}

/// Binds a range of a buffer (name, offset and size in bytes) to a uniform buffer binding; a buffer
/// of 0 removes the binding. The generic target `UNIFORM_BUFFER` has the same buffer afterwards.
pub(crate) fn bind_uniform_buffer(
    binding: u32,
    (buffer, offset, size): (u32, usize, usize),
    binds: BindMethod,
) {
    let (offset, size) = (offset as isize, size as isize);
    if binds == BindMethod::Single {
        let bound = integer(0x8A28) as u32;
        match buffer {
            0 => driver::BindBufferBase(0x8A11, binding, 0),
            buffer => driver::BindBufferRange(0x8A11, binding, buffer, offset, size),
        }
        return driver::BindBuffer(0x8A11, bound);
    }
    if buffer == 0 {
        // SAFETY: no buffer is bound.
        return unsafe { driver::BindBuffersBase(0x8A11, binding, 1, std::ptr::null()) };
    }
    // SAFETY: one buffer, one offset, one size.
    unsafe { driver::BindBuffersRange(0x8A11, binding, 1, &buffer, &offset, &size) };
}

/// Binds the buffer range of binding `binding` of atomic counters also to `storage_binding` of
/// storage buffers. The generic target `SHADER_STORAGE_BUFFER` has the same buffer afterwards.
pub(crate) fn bind_counters(binding: u32, storage_binding: u32) {
    const ATOMIC_COUNTER_BUFFER_BINDING: u32 = 0x92C1;
    const STORAGE: u32 = 0x90D2;
    let value = |name: u32| {
        let mut value = 0;
        // SAFETY: each of these states is one number.
        unsafe { driver::GetInteger64i_v(name, binding, &mut value) };
        value as isize
    };
    let buffer = value(ATOMIC_COUNTER_BUFFER_BINDING) as u32;
    let offset = value(ATOMIC_COUNTER_BUFFER_BINDING + 1);
    let size = value(ATOMIC_COUNTER_BUFFER_BINDING + 2);
    let bound = integer(driver::constants::SHADER_STORAGE_BUFFER_BINDING) as u32;
    match size {
        0 => driver::BindBufferBase(STORAGE, storage_binding, buffer),
        size => driver::BindBufferRange(STORAGE, storage_binding, buffer, offset, size),
    }
    driver::BindBuffer(STORAGE, bound);
}

/// Returns the size of a buffer in bytes. The buffer remains bound to `target`; callers restore the
/// binding.
pub(crate) fn buffer_size(target: u32, buffer: u32) -> isize {
    driver::BindBuffer(target, buffer);
    let mut size = 0;
    // SAFETY: the size is one number.
    unsafe { driver::GetBufferParameteriv(target, driver::constants::BUFFER_SIZE, &mut size) };
    size as isize
}

/// Binds the first `size` bytes of a buffer, or all for `None`, to a uniform buffer binding; a
/// buffer of 0 removes the binding. The size is limited to that of the buffer and to the maximum of
/// the driver. The generic target `UNIFORM_BUFFER` has the same buffer afterwards.
pub(crate) fn bind_first_bytes(binding: u32, buffer: u32, size: Option<usize>, binds: BindMethod) {
    if buffer == 0 {
        return bind_uniform_buffer(binding, (0, 0, 0), binds);
    }
    let bound = integer(0x8A28) as u32;
    let all = buffer_size(0x8A11, buffer);
    driver::BindBuffer(0x8A11, bound);
    let all = usize::try_from(all).unwrap_or(0);
    let most = integer(driver::constants::MAX_UNIFORM_BLOCK_SIZE).max(0) as usize;
    let size = size.unwrap_or(all).min(all).min(most);
    bind_uniform_buffer(binding, (buffer, 0, size), binds);
}

/// Writes words to the buffer bound to `GL_UNIFORM_BUFFER`, from a byte offset on. The driver
/// records `GL_INVALID_VALUE` for a range past the end of the buffer.
pub(crate) fn write_uniform_buffer(offset: usize, words: &[u32]) {
    let (offset, size) = (offset as isize, size_of_val(words) as isize);
    // SAFETY: the list has this size; the driver checks that the buffer has sufficient size.
    unsafe { driver::BufferSubData(0x8A11, offset, size, words.as_ptr().cast()) };
}

/// Binding of an image unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageUnit {
    texture: u32,
    level: i32,
    layered: bool,
    layer: i32,
    access: u32,
    format: u32,
}

impl ImageUnit {
    /// Returns the binding with another format, such as `GL_RGBA32F`; unchanged for `None`.
    pub(crate) fn with_format(self, format: Option<u32>) -> Self {
        Self {
            format: format.unwrap_or(self.format),
            ..self
        }
    }
}

/// Queries which level and layer of which texture is bound to an image unit, and how it is
/// accessed.
pub(crate) fn query_image_unit(unit: u32) -> ImageUnit {
    let value = |name: u32| {
        let mut value = 0;
        // SAFETY: each of these states is one number.
        unsafe { driver::GetIntegeri_v(name, unit, &mut value) };
        value
    };
    ImageUnit {
        texture: value(driver::constants::IMAGE_BINDING_NAME) as u32,
        level: value(driver::constants::IMAGE_BINDING_LEVEL),
        layered: value(driver::constants::IMAGE_BINDING_LAYERED) != 0,
        layer: value(driver::constants::IMAGE_BINDING_LAYER),
        access: value(driver::constants::IMAGE_BINDING_ACCESS) as u32,
        format: value(driver::constants::IMAGE_BINDING_FORMAT) as u32,
    }
}

/// Binds a level of a texture to an image unit (`glBindImageTexture`).
pub(crate) fn bind_image_unit(unit: u32, image: ImageUnit) {
    let ImageUnit {
        texture,
        level,
        layered,
        layer,
        access,
        format,
    } = image;
    driver::BindImageTexture(unit, texture, level, layered.into(), layer, access, format);
}

/// Names of pixel storage in the order of [`PixelStorage`].
const UNPACK_NAMES: [u32; 7] = [0x0CF0, 0x0CF2, 0x0CF3, 0x0CF4, 0x0CF5, 0x806D, 0x806E];
const PACK_NAMES: [u32; 7] = [0x0D00, 0x0D02, 0x0D03, 0x0D04, 0x0D05, 0x806B, 0x806C];

/// Storage of pixels without gaps.
const DENSE_STORAGE: PixelStorage = [0, 0, 0, 0, 1, 0, 0];

/// Queries the layout of pixels that commands read.
pub(crate) fn read_unpack_storage() -> PixelStorage {
    UNPACK_NAMES.map(integer)
}

/// Queries the layout of pixels that commands write.
pub(crate) fn read_pack_storage() -> PixelStorage {
    PACK_NAMES.map(integer)
}

/// Calls `work` with pixels of the memory of this process, without gaps, as the ones that commands
/// read or write; the application's layout and buffer are restored.
fn with_dense_storage<R>(names: [u32; 7], buffer: (u32, u32), work: impl FnOnce() -> R) -> R {
    let storage = names.map(integer);
    let (target, binding) = buffer;
    let bound = integer(binding) as u32;
    driver::BindBuffer(target, 0);
    let set = |storage: PixelStorage| {
        for (name, value) in names.into_iter().zip(storage) {
            driver::PixelStorei(name, value);
        }
    };
    set(DENSE_STORAGE);
    let result = work();
    set(storage);
    driver::BindBuffer(target, bound);
    result
}

/// Calls `work` without scales, biases and maps of pixel transfers of colors; the application's are
/// restored.
fn with_identity_transfer(work: impl FnOnce()) {
    const MAP_COLOR: u32 = 0x0D10;
    // Scales and biases of red, green, blue and alpha.
    const FACTORS: [(u32, f32); 8] = [
        (0x0D14, 1.0),
        (0x0D15, 0.0),
        (0x0D18, 1.0),
        (0x0D19, 0.0),
        (0x0D1A, 1.0),
        (0x0D1B, 0.0),
        (0x0D1C, 1.0),
        (0x0D1D, 0.0),
    ];
    let factors = FACTORS.map(|(name, _)| floats::<1>(name)[0]);
    let maps = integer(MAP_COLOR);
    driver::PixelTransferi(MAP_COLOR, 0);
    for (name, value) in FACTORS {
        driver::PixelTransferf(name, value);
    }
    work();
    driver::PixelTransferi(MAP_COLOR, maps);
    for ((name, _), value) in FACTORS.into_iter().zip(factors) {
        driver::PixelTransferf(name, value);
    }
}

/// Defines an image or a part of it with pixels of floats, of the format `format` without pixel
/// transfers; undefined ones for `None`. A part without pixels has parameters that are errors,
/// which the driver reports.
pub(crate) fn upload_floats(
    region: &ImageRegion,
    internal: u32,
    format: u32,
    pixels: Option<&[f32]>,
) {
    let &ImageRegion {
        dimensions,
        target,
        level,
        offset,
        size: [width, height, depth],
        border,
    } = region;
    let data: *const c_void = pixels.map_or(std::ptr::null(), |it| it.as_ptr().cast());
    let (internal, ty) = (internal as i32, driver::constants::FLOAT);
    let upload = || match (offset, dimensions) {
        // SAFETY: there are as many pixels as the size states, or none.
        (None, 1) => unsafe {
            driver::TexImage1D(target, level, internal, width, border, format, ty, data);
        },
        // SAFETY: as above.
        (None, 2) => unsafe {
            driver::TexImage2D(
                target, level, internal, width, height, border, format, ty, data,
            );
        },
        // SAFETY: as above.
        (None, _) => unsafe {
            driver::TexImage3D(
                target, level, internal, width, height, depth, border, format, ty, data,
            );
        },
        // SAFETY: as above.
        (Some([x, ..]), 1) => unsafe {
            driver::TexSubImage1D(target, level, x, width, format, ty, data);
        },
        // SAFETY: as above.
        (Some([x, y, _]), 2) => unsafe {
            driver::TexSubImage2D(target, level, x, y, width, height, format, ty, data);
        },
        // SAFETY: as above.
        (Some([x, y, z]), _) => unsafe {
            driver::TexSubImage3D(
                target, level, x, y, z, width, height, depth, format, ty, data,
            );
        },
    };
    const UNPACK_BUFFER: (u32, u32) = (
        driver::constants::PIXEL_UNPACK_BUFFER,
        driver::constants::PIXEL_UNPACK_BUFFER_BINDING,
    );
    with_dense_storage(UNPACK_NAMES, UNPACK_BUFFER, || {
        with_identity_transfer(upload);
    });
}

/// Returns all pixels of an image of the texture that is bound to a target, as four floats each,
/// and its width, height and depth, with border.
pub(crate) fn read_texture_floats(target: u32, level: i32) -> (Vec<f32>, [i32; 3]) {
    let size = [0x1000, 0x1001, 0x8071].map(|name| {
        let [size] = tex_level_parameter::<1>(target, level, name);
        size.max(0)
    });
    let count = size.map(|size| size as usize).iter().product::<usize>();
    let mut pixels = vec![0.0_f32; 4 * count];
    const PACK_BUFFER: (u32, u32) = (
        driver::constants::PIXEL_PACK_BUFFER,
        driver::constants::PIXEL_PACK_BUFFER_BINDING,
    );
    with_dense_storage(PACK_NAMES, PACK_BUFFER, || {
        // SAFETY: there is space for four floats of each pixel, which the driver stores without
        // gaps.
        unsafe {
            driver::GetTexImage(
                target,
                level,
                driver::constants::RGBA,
                driver::constants::FLOAT,
                pixels.as_mut_ptr().cast(),
            );
        }
    });
    (pixels, size)
}

/// Returns colors of the application after pixel transfers, four floats each, by a temporary
/// texture of floats. `Err` is the driver's error.
///
/// # Safety
/// The pixels have the layout that the state of unpacking specifies, or they are an offset in the
/// bound buffer.
pub(crate) unsafe fn convert_colors(
    region: &ImageRegion,
    format: u32,
    ty: u32,
    pixels: *const c_void,
) -> Result<Vec<f32>, u32> {
    let (target, binding) = match region.dimensions {
        1 => (0x0DE0, 0x8068),
        2 => (0x0DE1, 0x8069),
        _ => (0x806F, 0x806A),
    };
    let [width, height, depth] = region.size;
    let internal = driver::constants::RGBA32F as i32;
    let bound = integer(binding) as u32;
    let texture = create_texture();
    driver::GetError();
    driver::BindTexture(target, texture);
    match region.dimensions {
        // SAFETY: ensured by the caller.
        1 => unsafe { driver::TexImage1D(target, 0, internal, width, 0, format, ty, pixels) },
        // SAFETY: ensured by the caller.
        2 => unsafe {
            driver::TexImage2D(target, 0, internal, width, height, 0, format, ty, pixels);
        },
        // SAFETY: ensured by the caller.
        _ => unsafe {
            driver::TexImage3D(
                target, 0, internal, width, height, depth, 0, format, ty, pixels,
            );
        },
    }
    let result = match driver::GetError() {
        0 => Ok(read_texture_floats(target, 0).0),
        error => Err(error),
    };
    driver::BindTexture(target, bound);
    delete_texture(texture);
    result
}

/// Writes bytes, each four with an offset, to the buffer that pixels are written to, from `first`
/// on. Returns false, without writing, if it is mapped or too small.
pub(crate) fn write_packed_bytes(first: usize, words: &[(u64, [u8; 4])]) -> bool {
    const BUFFER_MAPPED: u32 = 0x88BC;
    let target = driver::constants::PIXEL_PACK_BUFFER;
    let value = |name: u32| {
        let mut value = 0;
        // SAFETY: each of these states is one number.
        unsafe { driver::GetBufferParameteriv(target, name, &mut value) };
        value
    };
    let size = u64::try_from(value(driver::constants::BUFFER_SIZE)).unwrap_or(0);
    let is_inside = words.last().is_none_or(|(offset, _)| {
        let end = (first as u64).checked_add(*offset + 4);
        end.is_some_and(|end| end <= size)
    });
    if !is_inside || value(BUFFER_MAPPED) != 0 {
        return false;
    }
    for (offset, bytes) in words {
        let offset = (first as u64 + offset) as isize;
        // SAFETY: four bytes, within the buffer.
        unsafe { driver::BufferSubData(target, offset, 4, bytes.as_ptr().cast()) };
    }
    true
}
