import { extentOf } from '../../results/box-of.ts'
import { typeOf } from '../../http/file-kinds.ts'
import { adapter } from '../../feature.ts'
import { askApi4ai, boxIn, objectsOf, imageIn } from '../../vendors/api4ai.ts'
import { score } from '../../fields/score.ts'
import anonymization from './feature.ts'

// https://api4.ai/docs/img-anonymization

export default adapter(anonymization, async (task, tools) => {
  const { original, entities } = await askApi4ai(tools, task, 'img-anonymization/v1')
  const { base64, extension, bytes } = imageIn(entities)
  const name = `anonymized.${extension}`
  const image_resource_url = await tools.keep({ name, type: typeOf(extension), bytes })
  const items = objectsOf(entities).flatMap((object) => {
    const kinds = object.entities.flatMap(({ classes }) => Object.entries(classes ?? {}))
    return kinds.map(([kind, value]) => ({ kind, confidence: score(value), bounding_boxes: extentOf(boxIn(object)) }))
  })
  return { output: { image: base64, image_resource_url, items }, original, units: 1 }
})
