type UpstreamErrorBody = { message: string; type: string; param: string | null; code: string | null }

/** An error of the simulated provider. It becomes a response with this status, not an exception. */
export class UpstreamError extends Error {
  readonly status: number
  readonly body: { error: UpstreamErrorBody }
  readonly headers: Record<string, string>

  constructor(status: number, error: UpstreamErrorBody, headers: Record<string, string> = {}) {
    super(error.message)
    this.status = status
    this.body = { error }
    this.headers = headers
  }
}

export function invalidRequest(message: string, param: string | null, code: string | null = null): UpstreamError {
  return new UpstreamError(400, { message, type: 'invalid_request_error', param, code })
}
