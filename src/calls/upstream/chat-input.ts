import type { Attachments } from '../files/attachments.ts'
import type { ChatTarget } from '../routing/route.ts'
import type { NativeCall } from './native-codec.ts'

/** What is asked of a chat model, with the files of the caller. */
export type ChatInput = NativeCall & Attached

type Attached = {
  /** The texts of the request's files, for targets that do not accept files. */
  files?: TextsOfFiles | undefined
  /** Files that are read while they are sent. */
  attachments?: Attachments | undefined
}

export type TextsOfFiles = {
  /** Reads the files that this target does not accept; undefined if there is nothing to wait for. */
  readyFor(target: ChatTarget): Promise<void> | undefined
  /** The input with texts in the place of files that this target does not accept. */
  fit<Input extends NativeCall>(input: Input, target: ChatTarget): Input
}

/** Another request with the same files. */
export function withFilesOf({ files, attachments }: Attached, input: NativeCall): ChatInput {
  return files || attachments ? { ...input, files, attachments } : input
}
