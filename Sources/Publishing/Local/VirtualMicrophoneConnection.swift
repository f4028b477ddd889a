internal import Capture
internal import Inputs
internal import Media

/// The mix as a microphone for other programs, offered by the sound server.
package final class VirtualMicrophoneConnection: DestinationConnection {
    package static let content = PublishedContent(samples: true)

    package private(set) var statistics = ConnectionStatistics()
    private var microphone: OfferedMicrophone?
    private let channels: Int

    /// Makes the microphone.
    ///
    /// - Throws: `PublishingError`.
    package convenience init(_ request: DestinationRequest) throws(PublishingError) {
        try self.init(request, server: nil)
    }

    /// Makes the microphone in a PulseAudio server; `nil` for the user's own.
    init(_ request: DestinationRequest, server: String?) throws(PublishingError) {
        guard let format = request.streams.samples else {
            throw .refused(
                "there is no sound for the virtual microphone: the profile needs a program with a mix.")
        }
        channels = format.channels
        do throws(DeviceError) {
            microphone = try OfferedMicrophone(
                key: request.name, description: request.address.path, format: format, server: server)
        } catch {
            throw Self.explained(error)
        }
    }

    /// Plays samples into the microphone. What would make it late is dropped.
    package func send(_ item: PublishedItem) throws(PublishingError) {
        guard case .samples(let slice) = item, slice.channels == channels, let microphone else { return }
        do throws(DeviceError) {
            if try microphone.write(slice.samples) { statistics.sentBytes += Int64(item.byteCount) }
        } catch {
            throw Self.explained(error)
        }
    }

    /// - Throws: `PublishingError.lost` when the sound server is gone.
    package func check() throws(PublishingError) {
        do throws(DeviceError) {
            try microphone?.check()
        } catch {
            throw Self.explained(error)
        }
    }

    /// Removes the microphone.
    package func close() { microphone = nil }

    /// What a person is told of the sound server's failure.
    static func explained(_ error: DeviceError) -> PublishingError {
        switch error.reason {
        case .noSoundServer(let why):
            .lost(
                "the sound server does not answer (\(why.printable())): start it with `\(SoundServerStart.command)`."
            )
        case .other(let sentence): .refused("the virtual microphone cannot be made: \(sentence)")
        default: .lost(error.description)
        }
    }
}
