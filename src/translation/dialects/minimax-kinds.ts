import type { ProblemKind } from '../wire/upstream-problem.ts'

/** The meaning of MiniMax's error numbers, for all of its APIs: chat, images, video. */
export const MINIMAX_KINDS: Readonly<Record<number, ProblemKind>> = {
  1001: 'timeout',
  1002: 'rate_limited',
  1004: 'auth',
  1008: 'auth',
  1026: 'content_policy',
  1027: 'content_policy',
  1039: 'rate_limited',
  2013: 'bad_request',
  2049: 'auth',
}
