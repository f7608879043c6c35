/** The input is not what the engine reads: its sender is told so in these words. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}
