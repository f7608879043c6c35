import { acceptFile } from '../../inputs/accept-file.ts'
import { askForBytes } from '../../http/ask-provider.ts'
import { cutoutOf } from '../../results/cutout.ts'
import { formPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://clipdrop.co/apis/docs/remove-background. It returns a PNG unless the headers request another format.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 30 }

export default adapter(backgroundRemoval, async (task, tools) => {
  const fields = { ...task.params, image_file: undefined }
  const payload = await formPayload(fields, [{ field: 'image_file', file: acceptFile(task.files.file!, ACCEPTED) }])
  return await cutoutOf(await askForBytes(tools, { path: '/remove-background/v1', payload }), 'png', tools)
})
