import { askForBytes } from '../../calls/ask-provider.ts'
import { cutoutOf, pictureFormat } from '../../calls/cutout.ts'
import { formPayload } from '../../calls/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://docs.photoroom.com/remove-background-api-basic-plan

const FORMATS = ['png', 'jpg', 'webp']

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = pictureFormat(task.params.format, FORMATS)
  const fields = { ...task.params, format, image_file: undefined }
  const payload = await formPayload(fields, [{ field: 'image_file', file: task.files.file! }])
  return await cutoutOf(await askForBytes(tools, { path: '/v1/segment', payload }), format, tools)
})
