// The only module that a program needs to import. This module re-exports the types of sessions, plans, session folders,
// and measurements.
@_exported public import Control
@_exported public import Doctor
@_exported public import Inputs
@_exported public import Interchange
@_exported public import Media
@_exported public import MediaLink
@_exported public import MediaServing
@_exported public import Monitoring
@_exported public import Plan
@_exported public import Profiles
@_exported public import Session
@_exported public import SessionFolder
@_exported public import Setup
@_exported public import Stills
@_exported public import StressTest
@_exported public import Synchrony
@_exported public import Timing
