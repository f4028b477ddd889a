internal import MulticamCapture
internal import MulticamInputs
internal import MulticamMedia

/// Provides audio of the session to other programs, as a virtual microphone of the sound server.
package final class VirtualMicrophoneConnection: LiveOutputConnection {
    package static let content = PublishedContent(samples: true)

    package private(set) var statistics = ConnectionStatistics()
    private var microphone: PulseVirtualMicrophone?
    private let channels: Int

    /// Creates the virtual microphone.
    ///
    /// - Throws: `PublishingError` if the sound server can't create the virtual microphone.
    package convenience init(_ request: ConnectionRequest) throws(PublishingError) {
        try self.init(request, server: nil)
    }

    /// Creates the virtual microphone on the given PulseAudio server; `nil` for the user's default server.
    init(_ request: ConnectionRequest, server: String?) throws(PublishingError) {
        guard let format = request.streams.samples else {
            throw .refused(
                "no audio for the virtual microphone. Add a program with an audio mix to the profile.")
        }
        channels = format.channels
        do throws(DeviceError) {
            microphone = try PulseVirtualMicrophone(
                key: request.name, description: request.address.path, format: format, server: server)
        } catch {
            throw Self.publishingError(for: error)
        }
    }

    /// Plays samples to the virtual microphone. Samples that would increase the microphone's latency are
    /// dropped.
    package func send(_ item: PublishedItem) throws(PublishingError) {
        guard case .samples(let slice) = item, slice.channels == channels, let microphone else { return }
        do throws(DeviceError) {
            if try microphone.write(slice.samples) { statistics.sentBytes += Int64(item.byteCount) }
        } catch {
            throw Self.publishingError(for: error)
        }
    }

    /// Checks whether the sound server is still available.
    ///
    /// - Throws: `PublishingError.lost` if the sound server is no longer available.
    package func check() throws(PublishingError) {
        do throws(DeviceError) {
            try microphone?.check()
        } catch {
            throw Self.publishingError(for: error)
        }
    }

    /// Removes the virtual microphone.
    package func close() { microphone = nil }

    /// Converts a sound server error to a user-facing error.
    static func publishingError(for error: DeviceError) -> PublishingError {
        switch error.reason {
        case .noSoundServer(let why):
            .lost(
                "the sound server is not responding (\(why.printable())). Start it with `\(SoundServerStart.command)`."
            )
        case .other(let sentence): .refused("the virtual microphone cannot be created: \(sentence)")
        default: .lost(error.description)
        }
    }
}
