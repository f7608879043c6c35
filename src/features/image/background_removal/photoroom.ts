import { acceptFile } from '../../calls/accept-file.ts'
import { askForBytes } from '../../calls/ask-provider.ts'
import { cutoutOf, pictureFormat } from '../../calls/cutout.ts'
import { formPayload } from '../../calls/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://docs.photoroom.com/remove-background-api-basic-plan

const PICTURES = { types: ['image/jpeg', 'image/png', 'image/webp', 'image/heic'], megabytes: 30 }

const FORMATS = ['png', 'jpg', 'webp']

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = pictureFormat(task.params.format, FORMATS)
  const fields = { ...task.params, format, image_file: undefined }
  const payload = await formPayload(fields, [{ field: 'image_file', file: acceptFile(task.files.file!, PICTURES) }])
  return await cutoutOf(await askForBytes(tools, { path: '/v1/segment', payload }), format, tools)
})
