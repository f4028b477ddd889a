import Foundation
import MulticamMedia
import MulticamVirtualDevices

extension SharedBytes {
    var data: Data { withExtendedLifetime(self) { Data(bytes) } }
}

extension CapturedFrame {
    var data: Data { memory.data }

    /// Reads the code strip of a raw frame.
    func codeStrip(_ rotation: Rotation = .none) -> CodeStrip? {
        CodeStrip(
            luma: startOfPlane(0), rowStep: planes[0].stride, columnStep: pixel == .yuyv ? 2 : 1, size: size,
            rotation: rotation)
    }
}

extension CodeStrip {
    init?(_ luma: [UInt8], _ size: FrameSize, _ rotation: Rotation = .none) {
        let strip = luma.withUnsafeBufferPointer { luma in
            luma.baseAddress.flatMap {
                CodeStrip(luma: $0, rowStep: size.width, size: size, rotation: rotation)
            }
        }
        guard let strip else { return nil }
        self = strip
    }
}
