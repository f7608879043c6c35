import type { FastifyRequest } from 'fastify'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { UploadedFile } from '../../contract/files.ts'
import { discardBytes, fileUpload, receiveBytes } from '../../calls/files/files.ts'
import { readUploadForm } from './upload-form.ts'

/** Stores the file of an upload form for the caller. */
export async function receiveUpload(
  request: FastifyRequest,
  { files }: Pick<CallServices, 'files'>,
): Promise<UploadedFile> {
  const { caller } = request
  const { stored, settings } = await readUploadForm(
    request,
    (bytes) => receiveBytes(bytes, caller.owner, files),
    (bytes) => discardBytes(bytes, files),
  )
  return await fileUpload(stored, settings, caller, files)
}
