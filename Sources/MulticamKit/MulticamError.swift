public import FoundationEssentials
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession
internal import MulticamSetup
internal import MulticamStills

/// An error of the library. Its `description` is a message for users: what failed, why, and what to do. Programs that
/// import Foundation get the same text as `localizedDescription`.
public protocol MulticamError: LocalizedError, CustomStringConvertible, Sendable {}

extension MulticamError {
    /// The message for users.
    public var errorDescription: String? { description }
}

extension DeviceError: MulticamError {}
extension EncodingError: MulticamError {}
extension FileError: MulticamError {}
extension PlanProblem: MulticamError {}
extension ProfileError: MulticamError {}
extension RecordingError: MulticamError {}
extension SessionChangeError: MulticamError {}
extension SetupError: MulticamError {}
extension StateFileError: MulticamError {}
extension StillError: MulticamError {}
extension ThreadError: MulticamError {}
