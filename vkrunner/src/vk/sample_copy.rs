//! Single samples of multisample images, copied by a compute shader between the image and a buffer;
//! and texels of multisample storage images, as bits: no other form suits all formats, and none
//! needs attachments with samples.

use super::buffer::Buffer;
use super::device::Device;
use super::image::{Image, ViewDesc};
use super::image_copy::raw_format;
use super::sampler::nearest_sampler;
use super::usage::{BufferUse, ScriptBufferUsage};
use crate::builtin_shaders;
use crate::builtin_shaders::{CopyDirection, PARAMETERS_SIZE, SampleCopy, TEXEL_SIZE};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::format::Encoding;
use glasm_scripts::texture::{PlaneId, TextureShape};
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of bytes per copy, except for single rows: less than every device can bind.
const MAX_BAND: u32 = 1 << 26;

/// Multisampled image, and the view format.
pub(super) struct SampleImage<'a> {
    pub(super) image: &'a Image,
    /// Format of the view.
    pub(super) format: vk::Format,
    pub(super) aspect: vk::ImageAspectFlags,
    /// Between commands.
    pub(super) layout: vk::ImageLayout,
}

/// Pipeline that copies texels of images of one size, with its resources.
pub(super) struct SampleCopier {
    copying: CopyDirection,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    sampler: vk::Sampler,
    shader: SampleCopy,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
    texels: Buffer,
    parameters: Buffer,
    size: [u32; 2],
    /// Number of rows in the buffer.
    rows: u32,
    device: Rc<Device>,
}

impl SampleCopier {
    /// Creates a copier for images of this width and height in pixels: compiles its shader and
    /// creates pipeline and buffers. Its buffer of texels has at most [`MAX_BAND`] bytes, but
    /// always space for one line of pixels.
    pub(super) fn new(
        device: &Rc<Device>,
        copying: CopyDirection,
        size: [u32; 2],
    ) -> Result<Self, Error> {
        let [width, height] = size;
        let rows = (MAX_BAND / (width * TEXEL_SIZE)).clamp(1, height);
        let bytes = u64::from(width) * u64::from(rows) * u64::from(TEXEL_SIZE);
        // From here on `Drop` cleans up, whichever step fails.
        let mut copier = Self {
            copying,
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            sampler: vk::Sampler::null(),
            shader: builtin_shaders::compile_copy_shader(copying, &device.capabilities)?,
            module: vk::ShaderModule::null(),
            pipeline: vk::Pipeline::null(),
            texels: Buffer::new(
                device,
                BufferUse::Script(ScriptBufferUsage::default()),
                bytes,
            )?,
            parameters: Buffer::new(device, BufferUse::Parameters, PARAMETERS_SIZE.into())?,
            size,
            rows,
            device: Rc::clone(device),
        };
        copier.create_layout()?;
        copier.create_set()?;
        copier.create_pipeline()?;
        Ok(copier)
    }

    /// Returns the direction of the copies, with the encoding or size of texels.
    pub(super) fn copying(&self) -> CopyDirection {
        self.copying
    }

    /// Returns the descriptor type of the image: sampled if samples are read, storage if they are
    /// written.
    fn image_type(&self) -> vk::DescriptorType {
        match self.copying {
            CopyDirection::Read(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            CopyDirection::Write(_) => vk::DescriptorType::STORAGE_IMAGE,
        }
    }

    /// Returns the layout of the image while it is copied.
    fn image_layout(&self) -> vk::ImageLayout {
        match self.copying {
            CopyDirection::Read(_) => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            CopyDirection::Write(_) => vk::ImageLayout::GENERAL,
        }
    }

    /// Creates the layouts of the descriptor set and of the pipeline.
    fn create_layout(&mut self) -> Result<(), Error> {
        let binding = |number, kind| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [
            binding(self.shader.image, self.image_type()),
            binding(self.shader.texels, vk::DescriptorType::STORAGE_BUFFER),
            binding(self.shader.parameters, vk::DescriptorType::UNIFORM_BUFFER),
        ];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let raw = &self.device.raw;
        // SAFETY: the create info is valid.
        self.set_layout = unsafe { raw.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let sets = [self.set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        // SAFETY: the set layout is from this device.
        self.layout =
            unsafe { raw.create_pipeline_layout(&info, None) }.call("vkCreatePipelineLayout")?;
        Ok(())
    }

    /// Creates the sampler, the descriptor pool, and the only set of the shader, whose descriptors
    /// are not written yet.
    fn create_set(&mut self) -> Result<(), Error> {
        let size = |ty| vk::DescriptorPoolSize {
            ty,
            descriptor_count: 1,
        };
        let sizes = [
            size(self.image_type()),
            size(vk::DescriptorType::STORAGE_BUFFER),
            size(vk::DescriptorType::UNIFORM_BUFFER),
        ];
        self.sampler = nearest_sampler(&self.device)?;
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let raw = &self.device.raw;
        // SAFETY: the create info is valid.
        self.pool =
            unsafe { raw.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: the pool has space for one set of this layout.
        let sets =
            unsafe { raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?;
        self.set = sets[0];
        Ok(())
    }

    /// Creates the shader module and its compute pipeline.
    fn create_pipeline(&mut self) -> Result<(), Error> {
        let info = vk::ShaderModuleCreateInfo::default().code(&self.shader.words);
        let raw = &self.device.raw;
        // SAFETY: the module is valid.
        self.module =
            unsafe { raw.create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.layout);
        // SAFETY: module and layout are from this device and agree.
        let pipelines =
            unsafe { raw.create_compute_pipelines(self.device.pipeline_cache, &[info], None) };
        self.pipeline = pipelines
            .map_err(|(_, result)| result)
            .call("vkCreateComputePipelines")?[0];
        Ok(())
    }

    /// Reads one sample of all pixels of a layer, and waits for the device. Returns four 32-bit
    /// components for each pixel.
    pub(super) fn read(
        &mut self,
        image: &SampleImage<'_>,
        layer_and_sample: [u32; 2],
    ) -> Result<Vec<u8>, Error> {
        let mut data = Vec::new();
        self.copy(image, |copier, rows| {
            let size = copier.band_bytes(&rows);
            copier.copy_rows(image, layer_and_sample, rows)?;
            data.extend_from_slice(&copier.texels.bytes()[..size]);
            Ok(())
        })?;
        Ok(data)
    }

    /// Writes one sample of all pixels of a layer from four 32-bit components for each pixel, and
    /// waits for the device.
    pub(super) fn write(
        &mut self,
        image: &SampleImage<'_>,
        layer_and_sample: [u32; 2],
        mut data: &[u8],
    ) -> Result<(), Error> {
        self.copy(image, |copier, rows| {
            let (band, rest) = data.split_at(copier.band_bytes(&rows));
            copier.texels.bytes_mut()[..band.len()].copy_from_slice(band);
            data = rest;
            copier.copy_rows(image, layer_and_sample, rows)
        })
    }

    /// Returns the size in the buffer, in bytes, of some lines of pixels.
    fn band_bytes(&self, rows: &Range<u32>) -> usize {
        self.size[0] as usize * rows.len() * TEXEL_SIZE as usize
    }

    /// Calls `copy_band` for ranges of lines that fit into the buffer, until all lines of the image
    /// are copied or a call fails. During the calls the descriptors refer to the image and the
    /// buffers.
    fn copy(
        &mut self,
        image: &SampleImage<'_>,
        mut copy_band: impl FnMut(&mut Self, Range<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let view = image.image.create_view(&ViewDesc {
            view_type: vk::ImageViewType::TYPE_2D_ARRAY,
            format: image.format,
            components: vk::ComponentMapping::default(),
            range: vk::ImageSubresourceRange {
                aspect_mask: image.aspect,
                ..image.image.full_range()
            },
        })?;
        self.write_set(view);
        let height = self.size[1];
        let rows = self.rows;
        let result = (0..height)
            .step_by(rows as usize)
            .try_for_each(|first| copy_band(self, first..height.min(first + rows)));
        if !self.device.is_lost() {
            // SAFETY: the view was created here, and the device is idle.
            unsafe { self.device.raw.destroy_image_view(view, None) };
        }
        result
    }

    /// Runs the shader over some lines of pixels, with the parameters of
    /// [`builtin_shaders::compile_copy_shader`], and waits for the device. The image has its
    /// previous layout afterwards.
    fn copy_rows(
        &mut self,
        image: &SampleImage<'_>,
        [layer, sample]: [u32; 2],
        rows: Range<u32>,
    ) -> Result<(), Error> {
        let [width, _] = self.size;
        let parameters = [layer, sample, width, rows.start];
        let bytes = self.parameters.bytes_mut().chunks_exact_mut(4);
        for (bytes, word) in bytes.zip(parameters) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let (old, during) = (image.layout, self.image_layout());
        self.device.submit_and_wait(|raw, commands| {
            let bind_point = vk::PipelineBindPoint::COMPUTE;
            image.image.change_layout(raw, commands, old, during);
            // SAFETY: the set is filled, the pipeline is of this layout, the buffer holds the rows,
            // and a device supports work groups for every pixel of the largest image.
            unsafe {
                raw.cmd_bind_pipeline(commands, bind_point, self.pipeline);
                raw.cmd_bind_descriptor_sets(
                    commands,
                    bind_point,
                    self.layout,
                    0,
                    &[self.set],
                    &[],
                );
                raw.cmd_dispatch(commands, width, rows.len() as u32, 1);
            }
            image.image.change_layout(raw, commands, during, old);
        })
    }

    /// Writes the view of the image and the buffers for texels and parameters to the descriptor
    /// set.
    fn write_set(&self, view: vk::ImageView) {
        let image = [vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: view,
            image_layout: self.image_layout(),
        }];
        let whole = |buffer: &Buffer| {
            [vk::DescriptorBufferInfo {
                buffer: buffer.raw,
                offset: 0,
                range: vk::WHOLE_SIZE,
            }]
        };
        let (texels, parameters) = (whole(&self.texels), whole(&self.parameters));
        let write = |binding, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(self.set)
                .dst_binding(binding)
                .descriptor_type(kind)
        };
        let writes = [
            write(self.shader.image, self.image_type()).image_info(&image),
            write(self.shader.texels, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&texels),
            write(self.shader.parameters, vk::DescriptorType::UNIFORM_BUFFER)
                .buffer_info(&parameters),
        ];
        // SAFETY: set, view and buffers are from this device, and the device is idle.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for SampleCopier {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let raw = &self.device.raw;
        // SAFETY: all were created from this device or are null, and the device is idle.
        unsafe {
            raw.destroy_pipeline(self.pipeline, None);
            raw.destroy_shader_module(self.module, None);
            raw.destroy_descriptor_pool(self.pool, None);
            raw.destroy_sampler(self.sampler, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Layout between commands.
const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// Returns a multisample storage image whose view shows its texels as bits, in the integer format
/// of their size.
fn raw_sample_image<'a>(image: &'a Image, shape: &TextureShape) -> SampleImage<'a> {
    let format = raw_format(texel_bits(shape));
    SampleImage {
        image,
        format: format.map_or(shape.format.vk, |format| format.vk),
        aspect: vk::ImageAspectFlags::COLOR,
        layout: LAYOUT,
    }
}

/// Returns the size of a texel in bits.
fn texel_bits(shape: &TextureShape) -> u8 {
    8 * shape.format.texel_size() as u8
}

/// Returns width and height of a texture in pixels.
fn plane_size(shape: &TextureShape) -> [u32; 2] {
    let [width, height, _] = shape.extent;
    [width, height]
}

/// Transitions a new image to the layout that it has between commands, and waits for the device.
/// The contents are undefined.
pub(super) fn transition_to_general(device: &Device, image: &Image) -> Result<(), Error> {
    device.submit_and_wait(|raw, commands| {
        image.change_layout(raw, commands, vk::ImageLayout::UNDEFINED, LAYOUT);
    })
}

/// Writes planes of a multisample storage image from the bytes that `plane` returns, as bits
/// without conversion, and waits for the device. The image is in the layout between commands.
pub(super) fn write(
    device: &Rc<Device>,
    image: &Image,
    shape: &TextureShape,
    planes: &[PlaneId],
    plane: impl Fn(PlaneId) -> Vec<u8>,
) -> Result<(), Error> {
    let copying = CopyDirection::Write(texel_bits(shape));
    let mut copier = SampleCopier::new(device, copying, plane_size(shape))?;
    let bytes = shape.format.texel_size();
    for id in planes {
        let mut texels = Vec::new();
        for texel in plane(*id).chunks_exact(bytes) {
            texels.extend_from_slice(texel);
            texels.resize(texels.len() + TEXEL_SIZE as usize - bytes, 0);
        }
        copier.write(
            &raw_sample_image(image, shape),
            [id.slice, id.sample],
            &texels,
        )?;
    }
    Ok(())
}

/// Returns the bytes of a plane of a multisample storage image, as bits without conversion. The
/// image is in the layout between commands.
pub(super) fn read(
    device: &Rc<Device>,
    image: &Image,
    shape: &TextureShape,
    id: PlaneId,
) -> Result<Vec<u8>, Error> {
    let copying = CopyDirection::Read(Encoding::Uint);
    let mut copier = SampleCopier::new(device, copying, plane_size(shape))?;
    let texels = copier.read(&raw_sample_image(image, shape), [id.slice, id.sample])?;
    let bytes = shape.format.texel_size();
    // Small texels are the low bytes of the first word.
    let texels = texels.chunks_exact(TEXEL_SIZE as usize);
    Ok(texels.flat_map(|texel| &texel[..bytes]).copied().collect())
}
