// A program imports only MulticamKit, which re-exports the modules whose types appear in the public API. Most declarations of
// these modules are `package`, so the program doesn't see them.
@_exported public import MulticamInputs
@_exported public import MulticamMedia
@_exported public import MulticamMonitoring
@_exported public import MulticamPlan
@_exported public import MulticamProfiles
@_exported public import MulticamSession
@_exported public import MulticamSessionFolder
@_exported public import MulticamSetup
@_exported public import MulticamStills
@_exported public import MulticamTiming
@_exported public import MulticamWriters
