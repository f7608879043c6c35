import { typeOf } from '../../http/file-kinds.ts'
import { adapter } from '../../feature.ts'
import { askApi4ai, imageIn } from '../../vendors/api4ai.ts'
import backgroundRemoval from './feature.ts'

// https://api4.ai/docs/img-bg-removal. By default it adds a shadow.

export default adapter(backgroundRemoval, async (task, tools) => {
  const request = { ...task, params: { mode: 'fg-image', ...task.params } }
  const { original, entities } = await askApi4ai(tools, request, 'img-bg-removal/v1')
  const { base64, extension, bytes } = imageIn(entities)
  const image_resource_url = await tools.keep({ name: `cutout.${extension}`, type: typeOf(extension), bytes })
  return { output: { image_b64: base64, image_resource_url }, original, units: 1 }
})
