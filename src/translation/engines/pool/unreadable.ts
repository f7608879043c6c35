/** The engine cannot read the input; the message is shown to the caller. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}
