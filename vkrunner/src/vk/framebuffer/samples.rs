//! Single samples of attachments, fetched by a compute shader into a buffer.

use super::Framebuffer;
use super::read::Source;
use crate::error::{CallContext, Error};
use crate::format::{Encoding, Format};
use crate::sample_fetch;
use crate::vk::buffer::Roles;
use crate::vk::image::ViewDesc;
use crate::vk::{Buffer, BufferUse, Device};
use ash::vk;
use std::cell::RefCell;
use std::rc::Rc;

const READ_LAYOUT: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;

/// Bytes of a texel in the buffer.
const TEXEL: u32 = 16;
/// Bytes that are fetched at once, but for single rows: less than every device can bind.
const MAX_BAND: u32 = 1 << 26;

/// The readers of a framebuffer, made when they are needed.
#[derive(Default)]
pub(super) struct SampleReaders {
    readers: RefCell<Vec<SampleReader>>,
}

impl SampleReaders {
    /// Reads one sample of all pixels of a layer: four 32-bit components each.
    pub(super) fn fetch(
        &self,
        framebuffer: &Framebuffer,
        source: &Source<'_>,
        layer: u32,
        sample: u32,
    ) -> Result<(Format, Vec<u8>), Error> {
        let encoding = source.fetched();
        let mut readers = self.readers.borrow_mut();
        let index = match readers
            .iter()
            .position(|reader| reader.encoding == encoding)
        {
            Some(index) => index,
            None => {
                let (width, height) = (framebuffer.width, framebuffer.height);
                let rows = (MAX_BAND / (width * TEXEL)).clamp(1, height);
                readers.push(SampleReader::new(
                    &framebuffer.device,
                    encoding,
                    width,
                    rows,
                )?);
                readers.len() - 1
            }
        };
        let data = readers[index].fetch(framebuffer, source, [layer, sample])?;
        Ok((Format::wide(encoding, 32, 4), data))
    }
}

/// A pipeline that fetches texels of one type, with all that it needs.
struct SampleReader {
    encoding: Encoding,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
    texels: Buffer,
    /// Rows that the buffer holds.
    rows: u32,
    device: Rc<Device>,
}

impl SampleReader {
    /// A reader of so many rows of so many texels at once.
    fn new(device: &Rc<Device>, encoding: Encoding, width: u32, rows: u32) -> Result<Self, Error> {
        let size = u64::from(width) * u64::from(rows) * u64::from(TEXEL);
        // From here on `Drop` cleans up, whichever step fails.
        let mut reader = Self {
            encoding,
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            module: vk::ShaderModule::null(),
            pipeline: vk::Pipeline::null(),
            texels: Buffer::new(device, BufferUse::Script(Roles::default()), size)?,
            rows,
            device: Rc::clone(device),
        };
        reader.create_layout()?;
        reader.create_set()?;
        reader.create_pipeline()?;
        Ok(reader)
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
            binding(0, vk::DescriptorType::SAMPLED_IMAGE),
            binding(1, vk::DescriptorType::STORAGE_BUFFER),
        ];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let raw = &self.device.raw;
        // SAFETY: the create info is valid.
        self.set_layout = unsafe { raw.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let sets = [self.set_layout];
        let ranges = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: sample_fetch::PUSH_SIZE,
        }];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&ranges);
        // SAFETY: the set layout is from this device, and every device has this many push constants.
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
            size(vk::DescriptorType::SAMPLED_IMAGE),
            size(vk::DescriptorType::STORAGE_BUFFER),
        ];
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
        // SAFETY: the pool has room for one set of this layout.
        let sets =
            unsafe { raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?;
        self.set = sets[0];
        Ok(())
    }

    fn create_pipeline(&mut self) -> Result<(), Error> {
        let words = sample_fetch::module(self.encoding);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
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

    /// Reads one sample of all pixels of a layer.
    fn fetch(
        &self,
        framebuffer: &Framebuffer,
        source: &Source<'_>,
        [layer, sample]: [u32; 2],
    ) -> Result<Vec<u8>, Error> {
        let view = source.image.create_view(&ViewDesc {
            view_type: vk::ImageViewType::TYPE_2D_ARRAY,
            format: source.vk_format,
            components: vk::ComponentMapping::default(),
            range: vk::ImageSubresourceRange {
                aspect_mask: source.aspect,
                ..source.image.everything()
            },
        })?;
        self.write_set(view);
        let mut data = Vec::new();
        let mut result = Ok(());
        let (width, height) = (framebuffer.width, framebuffer.height);
        for first in (0..height).step_by(self.rows as usize) {
            let rows = self.rows.min(height - first);
            result = self.fetch_rows(source, [layer, sample, width, first], rows);
            if result.is_err() {
                break;
            }
            let size = width as usize * rows as usize * TEXEL as usize;
            data.extend_from_slice(&self.texels.bytes()[..size]);
        }
        if !self.device.is_lost() {
            // SAFETY: the view was made here, and the device is idle.
            unsafe { self.device.raw.destroy_image_view(view, None) };
        }
        result.map(|()| data)
    }

    /// Runs the shader over some rows, with push constants as [`sample_fetch`] has them.
    fn fetch_rows(&self, source: &Source<'_>, push: [u32; 4], rows: u32) -> Result<(), Error> {
        let [_, _, width, _] = push;
        let push: Vec<u8> = push.iter().flat_map(|word| word.to_le_bytes()).collect();
        let image = source.image;
        self.device.run(|raw, commands| {
            let bind_point = vk::PipelineBindPoint::COMPUTE;
            let stage = vk::ShaderStageFlags::COMPUTE;
            image.change_layout(raw, commands, source.layout, READ_LAYOUT);
            // SAFETY: the set is filled, pipeline and push constants are of this layout, the buffer holds the rows, and a device takes work
            // groups for every pixel of the largest framebuffer.
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
                raw.cmd_push_constants(commands, self.layout, stage, 0, &push);
                raw.cmd_dispatch(commands, width, rows, 1);
            }
            image.change_layout(raw, commands, READ_LAYOUT, source.layout);
        })
    }

    fn write_set(&self, view: vk::ImageView) {
        let image = [vk::DescriptorImageInfo {
            sampler: vk::Sampler::null(),
            image_view: view,
            image_layout: READ_LAYOUT,
        }];
        let buffer = [vk::DescriptorBufferInfo {
            buffer: self.texels.raw,
            offset: 0,
            range: vk::WHOLE_SIZE,
        }];
        let write = |binding, kind| {
            vk::WriteDescriptorSet::default()
                .dst_set(self.set)
                .dst_binding(binding)
                .descriptor_type(kind)
        };
        let writes = [
            write(0, vk::DescriptorType::SAMPLED_IMAGE).image_info(&image),
            write(1, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&buffer),
        ];
        // SAFETY: set, view and buffer are from this device, and the device is idle.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for SampleReader {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let raw = &self.device.raw;
        // SAFETY: all were made from this device or are null, and the device is idle.
        unsafe {
            raw.destroy_pipeline(self.pipeline, None);
            raw.destroy_shader_module(self.module, None);
            raw.destroy_descriptor_pool(self.pool, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
