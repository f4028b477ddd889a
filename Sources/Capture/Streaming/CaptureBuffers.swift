import Glibc
import MulticamMedia

/// File descriptor and mapped buffers of a camera between one opening and closing of its node.
///
/// The camera's thread and each lent frame hold a reference. The last release unmaps the buffers and closes
/// the descriptor. A buffer is returned to the driver only while the stream that it belongs to is running.
final class CaptureBuffers: Sendable {
    let device: V4L2Device
    private let mappings: [Mapping]
    private let circulation = ConditionLock(Circulation())

    private struct Circulation {
        var isStreaming = false
        var lent: Set<Int> = []
    }

    /// Memory shared with the driver. Either the driver owns a buffer and writes it, or this program owns it and reads
    /// it.
    private struct Mapping: @unchecked Sendable {
        // DQBUF and QBUF transfer ownership of the buffer between the driver and this program, so it never has two
        // owners.
        let memory: UnsafeMutableRawBufferPointer
    }

    /// Maximum number of buffers used. Before Linux 6.8, V4L2 allowed no more than 32 buffers.
    private static let mostBuffers = 32

    /// Requests and maps the buffers.
    ///
    /// - Parameters:
    ///   - device: An open node, with the format already set.
    ///   - count: Number of buffers to request; the driver may allocate more or fewer.
    /// - Throws: `DeviceError` if the driver or mmap(2) fails, for example with `busy`; `ENOMEM` if the driver
    ///   allocates fewer than two buffers.
    init(of device: consuming V4L2Device, count: Int) throws(DeviceError) {
        let granted = try device.requestBuffers(count)
        guard granted >= 2 else {
            throw DeviceError(device: device.path, operation: "VIDIOC_REQBUFS", errno: ENOMEM)
        }
        mappings = try Self.mapped(device, min(granted, Self.mostBuffers))
        self.device = device
    }

    deinit {
        for mapping in mappings { munmap(mapping.memory.baseAddress, mapping.memory.count) }
    }

    var count: Int { mappings.count }

    /// Dequeues a filled buffer.
    ///
    /// - Returns: `nil` if no buffer is filled yet.
    /// - Throws: `DeviceError` if the driver fails, or returns a buffer that wasn't queued.
    func dequeue() throws(DeviceError) -> V4L2Device.FilledBuffer? {
        guard let filled = try device.dequeue() else { return nil }
        let lent = circulation.withLock { $0.lent }
        guard let checked = filled.checked(lengths: mappings.map(\.memory.count), lent: lent) else {
            throw DeviceError(
                device: device.path, operation: "VIDIOC_DQBUF",
                reason: .other("the driver returned buffer \(filled.index), which was not queued."))
        }
        return checked
    }

    /// Queues all buffers that aren't lent and starts the stream.
    func startStreaming() throws(DeviceError) {
        let home = circulation.withLock { circulation in
            circulation.isStreaming = true
            return (0..<mappings.count).filter { !circulation.lent.contains($0) }
        }
        do {
            for index in home { try requeue(index) }
            try device.startStreaming()
        } catch {
            stopStreaming()
            throw error
        }
    }

    /// Stops the stream and takes all buffers back from the driver. Lent buffers stay readable until their frames are
    /// released.
    func stopStreaming() {
        circulation.withLock { $0.isStreaming = false }
        do {
            try device.stopStreaming()
        } catch {
            // Stopping the stream fails only if the device is gone. Such a device is no longer streaming.
        }
    }

    /// Returns the content of a buffer, valid until the buffer is returned to the driver.
    func bytes(of filled: V4L2Device.FilledBuffer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(mappings[filled.index].memory).prefix(filled.byteCount))
    }

    /// Lends a buffer's memory; returns `nil` if lending it could leave the driver without a buffer to fill.
    func lend(_ filled: V4L2Device.FilledBuffer) -> SharedBytes? {
        let index = filled.index
        let isLent = circulation.withLock { circulation in
            guard circulation.lent.count < mappings.count - 2 else { return false }
            return circulation.lent.insert(index).inserted
        }
        guard isLent, let start = mappings[index].memory.baseAddress else { return nil }
        return SharedBytes(start: start, count: min(filled.byteCount, mappings[index].memory.count)) {
            self.release(index)
        }
    }

    /// Returns a buffer to the driver if the stream is still running. Can be called from any thread.
    func release(_ index: Int) {
        let isStreaming = circulation.withLock { circulation in
            circulation.lent.remove(index)
            return circulation.isStreaming
        }
        guard isStreaming else { return }
        do {
            try device.queue(buffer: index)
        } catch {
            // The stream has just ended, or the camera was unplugged. In the second case, `poll` reports the
            // error on the camera's thread.
        }
    }

    private func requeue(_ index: Int) throws(DeviceError) {
        do {
            try device.queue(buffer: index)
        } catch {
            // A frame released during the restart has already queued this buffer.
            guard error.reason == .system(errno: EINVAL) else { throw error }
        }
    }

    private static func mapped(_ device: borrowing V4L2Device, _ count: Int) throws(DeviceError) -> [Mapping]
    {
        var mappings: [Mapping] = []
        do {
            for index in 0..<count { mappings.append(Mapping(memory: try device.map(buffer: index))) }
        } catch {
            for mapping in mappings { munmap(mapping.memory.baseAddress, mapping.memory.count) }
            throw error
        }
        return mappings
    }
}
