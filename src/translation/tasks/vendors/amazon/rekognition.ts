import type { TaskFile } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { base64Of } from '../../http/inline-file.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference. Confidence is from 0 to 100, positions are fractions.

const ACCEPTED = { types: ['image/jpeg', 'image/png'], megabytes: 5 }

export async function rekognitionImage(file: TaskFile): Promise<{ Bytes: string }> {
  return { Bytes: await base64Of(acceptFile(file, ACCEPTED)) }
}
