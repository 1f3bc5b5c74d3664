//! Single samples of multisample images, copied by a compute shader between the image and a buffer.

use super::buffer::Buffer;
use super::device::Device;
use super::image::{Image, ViewDesc};
use super::sampler::nearest_sampler;
use super::usage::{BufferUse, Roles};
use crate::error::{CallContext, Error};
use crate::sample_copy::{self, PARAMETERS_SIZE, SampleCopy, SampleCopying, TEXEL_SIZE};
use ash::vk;
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
    copying: SampleCopying,
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
    /// Creates a copier for images of a width and height.
    pub(super) fn new(
        device: &Rc<Device>,
        copying: SampleCopying,
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
            shader: sample_copy::module(copying, &device.capabilities)?,
            module: vk::ShaderModule::null(),
            pipeline: vk::Pipeline::null(),
            texels: Buffer::new(device, BufferUse::Script(Roles::default()), bytes)?,
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

    /// Returns the kind of texels that it copies.
    pub(super) fn copying(&self) -> SampleCopying {
        self.copying
    }

    fn image_type(&self) -> vk::DescriptorType {
        match self.copying {
            SampleCopying::Read(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            SampleCopying::Write(_) => vk::DescriptorType::STORAGE_IMAGE,
        }
    }

    /// Returns the layout of the image while it is copied.
    fn image_layout(&self) -> vk::ImageLayout {
        match self.copying {
            SampleCopying::Read(_) => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            SampleCopying::Write(_) => vk::ImageLayout::GENERAL,
        }
    }

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

    /// Reads one sample of all pixels of a layer: four 32-bit components each.
    pub(super) fn read(
        &mut self,
        image: &SampleImage<'_>,
        place: [u32; 2],
    ) -> Result<Vec<u8>, Error> {
        let mut data = Vec::new();
        self.copy(image, |copier, rows| {
            let size = copier.band_size(&rows);
            copier.copy_rows(image, place, rows)?;
            data.extend_from_slice(&copier.texels.bytes()[..size]);
            Ok(())
        })?;
        Ok(data)
    }

    /// Writes one sample of all pixels of a layer: four 32-bit components each.
    pub(super) fn write(
        &mut self,
        image: &SampleImage<'_>,
        place: [u32; 2],
        mut data: &[u8],
    ) -> Result<(), Error> {
        self.copy(image, |copier, rows| {
            let (band, rest) = data.split_at(copier.band_size(&rows));
            copier.texels.bytes_mut()[..band.len()].copy_from_slice(band);
            data = rest;
            copier.copy_rows(image, place, rows)
        })
    }

    /// Returns the bytes of some rows in the buffer.
    fn band_size(&self, rows: &Range<u32>) -> usize {
        self.size[0] as usize * rows.len() * TEXEL_SIZE as usize
    }

    /// Calls `copy_band` for all rows, in bands of the maximum size of the buffer.
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
                ..image.image.everything()
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

    /// Runs the shader over some rows, with the parameters of [`sample_copy`].
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
        self.device.run(|raw, commands| {
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
