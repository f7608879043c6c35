import { type Fields, textOf } from '../../../base/schema/record.ts'

// Tools of this format that are not functions: the provider runs them, or the client runs them in a way that the provider knows.

const HOSTED =
  /^(web_search(_preview)?(_\d{4}_\d\d_\d\d)?|file_search|code_interpreter|image_generation|mcp|computer(_use_preview)?|local_shell|shell|apply_patch|tool_search)$/

export function isHostedTool({ type }: Fields): boolean {
  return HOSTED.test(textOf(type))
}
