/** An identity at AWS without a key of its own: short-lived keys are fetched for it. */
export type AwsIdentity =
  /** A token that the cluster writes to a file is exchanged for keys of a role. */
  | { kind: 'web identity'; url: string; roleArn: string; sessionName: string; tokenFile: string }
  /** The agent of a container hands out the keys of its task. */
  | { kind: 'container'; url: string; token?: string | undefined; tokenFile?: string | undefined }
  /** The metadata server of a machine hands out the keys of its role. */
  | { kind: 'machine'; url: string }
  | { kind: 'keys'; keys: AwsKeys }

export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined }
