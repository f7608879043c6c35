// The package has no types of its own. These are the parts that the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: (...values: unknown[]) => void): void
    Client: { find(id: string): Promise<{ backchannelLogout(subject: string, sid: string): Promise<unknown> }> }
    Grant: new (
      values: object,
    ) => { addOIDCScope(scope: string): void; save(): Promise<string> }
  }
}
