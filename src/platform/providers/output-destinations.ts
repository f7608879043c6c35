// Settings that would make a provider send a result elsewhere: to a bucket, a queue or a URL. The gateway itself waits for
// results, with the operator's account, so a caller must not name a destination. Names are compared in lower case and without
// separators: `OutputConfig`, `output_config` and `outputconfig` are equal.

/** Patterns for names at any depth. */
export const DESTINATION_PARTS: readonly RegExp[] = [
  /webhook|callback|destination|bucket|notif(y|ication)/,
  /^(hook|ping|post|success|failure|error|redirect|return|report)ur[il]$|^(deliver|store|send|mail|email)to$/,
  /(snstopic|topicarn|queueurl|queuearn|rolearn|kms|vpcconfig|sasur[il])/,
  /output(data|s3|gcs|storage|blob|file)?(config|location|ur[il]|path|prefix|container|folder|key|topic|arn)/,
  /^(results?|storage|upload|delivery|export|target|sink|save|s3|gcs|blob)\w*(ur[il]s?|path|prefix|location|container|folder|config|arn)$/,
]

/** Tokens that merge two requests: the second caller would get the result of the first. */
export const SHARED_TOKENS: readonly string[] = [
  'clientrequesttoken',
  'clienttoken',
  'idempotencykey',
  'idempotencytoken',
]

/** The model string determines the model that was checked and priced, so settings must not change it. */
export const MODEL_SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'models',
  'modelid',
  'modelname',
  'engine',
  'engineid',
])
