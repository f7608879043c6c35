import { run } from './cli.ts'

const command = process.argv.slice(2)
// A reader that has seen enough, such as `head`, closes the pipe. That ends a command, and the gateway goes on without its reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  if (command[0] !== 'serve') process.exit()
})
process.exitCode = await run(command)
