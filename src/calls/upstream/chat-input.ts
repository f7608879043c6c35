import type { Attachments } from '../files/attachments.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import type { AskedChat } from './native-codec.ts'

/** What is asked of a chat model, with the files of the caller. */
export type ChatInput = AskedChat & Attached

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
  fit<Input extends AskedChat>(input: Input, target: ChatTarget): Input
}

/** Another request with the same files. */
export function withFilesOf({ files, attachments }: Attached, input: AskedChat): ChatInput {
  return files || attachments ? { ...input, files, attachments } : input
}
