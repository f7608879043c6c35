import type { FastifyRequest } from 'fastify'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { UploadedFile } from '../../contract/files.ts'
import { discardBytes, fileUpload, receiveBytes } from '../../calls/files/files.ts'
import { readUploadForm, type UploadDefaults } from './upload-form.ts'

/** Stores the file of an upload form for the caller. `defaults`: what the form does not say, in the words of its format. */
export async function receiveUpload(
  request: FastifyRequest,
  { files }: Pick<CallServices, 'files'>,
  defaults: UploadDefaults = {},
): Promise<UploadedFile> {
  const { caller } = request
  const { stored, settings } = await readUploadForm(
    request,
    (bytes) => receiveBytes(bytes, caller.owner, files),
    (bytes) => discardBytes(bytes, files),
    defaults,
  )
  return await fileUpload(stored, settings, caller, files)
}
