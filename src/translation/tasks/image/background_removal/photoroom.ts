import { acceptFile } from '../../inputs/accept-file.ts'
import { askForBytes } from '../../http/ask-provider.ts'
import { cutoutOf, imageFormat } from '../../results/cutout.ts'
import { formPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://docs.photoroom.com/remove-background-api-basic-plan

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp', 'image/heic'], megabytes: 30 }
const FORMATS = ['png', 'jpg', 'webp']

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = imageFormat(task.params.format, FORMATS)
  const fields = { ...task.params, format, image_file: undefined }
  const payload = await formPayload(fields, [{ field: 'image_file', file: acceptFile(task.files.file!, ACCEPTED) }])
  return await cutoutOf(await askForBytes(tools, { path: '/v1/segment', payload }), format, tools)
})
