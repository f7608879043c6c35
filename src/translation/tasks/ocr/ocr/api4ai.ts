import { adapter } from '../../feature.ts'
import { type Api4aiObject, askApi4ai, boxIn, objectsOf } from '../../vendors/api4ai.ts'
import ocr from './feature.ts'

// https://api4.ai/docs/ocr. It detects the language itself, and a document is one request.

export default adapter(ocr, async (task, tools) => {
  const { original, entities } = await askApi4ai(tools, task, 'ocr/v1')
  const bounding_boxes = objectsOf(entities).map(toPassage)
  const text = bounding_boxes.map((passage) => passage.text).join('\n')
  return { output: { text, bounding_boxes }, original, units: 1 }
})

function toPassage(object: Api4aiObject) {
  const text = object.entities.find((entity) => entity.text !== undefined)?.text ?? ''
  return { text, ...boxIn(object) }
}
