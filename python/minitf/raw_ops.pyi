"""One function for each op of C++. Made by ``./lab gen``."""

from typing import Any

def Abort(error_msg: Any = '', exit_without_error: Any = False, name: str | None = None) -> Any:
    """Fails the step with `error_msg`. The process goes on, unlike TensorFlow's, and `exit_without_error` changes nothing."""

def Abs(x: Any, name: str | None = None) -> Any:
    """The absolute value of x, element by element."""

def Acos(x: Any, name: str | None = None) -> Any:
    """The inverse cosine of x, in radians, element by element."""

def Acosh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic cosine of x, element by element."""

def Add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, or strings put one after the other, element by element, with broadcasting."""

def AddManySparseToTensorsMap(sparse_indices: Any, sparse_values: Any, sparse_shape: Any, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """Puts each row of a sparse tensor [n, ...] into a map, as AddSparseToTensorsMap does; n handles."""

def AddN(inputs: Any, name: str | None = None) -> Any:
    """The sum of all inputs, which have one shape."""

def AddSparseToTensorsMap(sparse_indices: Any, sparse_values: Any, sparse_shape: Any, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """Puts a sparse tensor into the map called `shared_name`, or like the node; the handle takes it out again, once."""

def AddV2(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, element by element, with broadcasting."""

def All(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """Whether all elements are true along some axes."""

def Angle(input: Any, Tout: Any = ..., name: str | None = None) -> Any:
    """The angle, in radians, of complex numbers, element by element."""

def Any(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """Whether any element is true along some axes."""

def ApproximateEqual(x: Any, y: Any, tolerance: Any = 1e-05, name: str | None = None) -> Any:
    """Whether |x - y| < tolerance, element by element. x and y have one shape."""

def ArgMax(input: Any, dimension: Any, output_type: Any = ..., name: str | None = None) -> Any:
    """Where along axis `dimension` the largest element stands; the first of several that are equal. The result lacks that axis."""

def ArgMin(input: Any, dimension: Any, output_type: Any = ..., name: str | None = None) -> Any:
    """Where along axis `dimension` the smallest element stands; the first of several that are equal. The result lacks that axis."""

def Asin(x: Any, name: str | None = None) -> Any:
    """The inverse sine of x, in radians, element by element."""

def Asinh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic sine of x, element by element."""

def Assert(condition: Any, data: Any, summarize: Any = 3, name: str | None = None) -> Any:
    """Fails unless the scalar `condition` is true. The message shows the first `summarize` elements of every tensor in `data`."""

def AssignAddVariableOp(resource: Any, value: Any, name: str | None = None) -> Any:
    """Adds `value` to a variable of the same shape."""

def AssignSubVariableOp(resource: Any, value: Any, name: str | None = None) -> Any:
    """Subtracts `value` from a variable of the same shape."""

def AssignVariableOp(resource: Any, value: Any, name: str | None = None) -> Any:
    """Gives a variable a new value."""

def Atan(x: Any, name: str | None = None) -> Any:
    """The inverse tangent of x, in radians, element by element."""

def Atan2(y: Any, x: Any, name: str | None = None) -> Any:
    """The angle of the point (x, y), as of atan(y / x) in the right quadrant, element by element, with broadcasting."""

def Atanh(x: Any, name: str | None = None) -> Any:
    """The inverse hyperbolic tangent of x, element by element."""

def AudioSummaryV2(tag: Any, tensor: Any, sample_rate: Any, max_outputs: Any = 3, name: str | None = None) -> Any:
    """A Summary with the first sounds of `tensor` [batch,frames,channels] or [batch,frames], numbers from -1 to 1, as WAV files."""

def AvgPool(value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The mean of each window of ksize: [N,H,W,C] to [N,P,Q,C]. Padding is not counted."""

def AvgPoolGrad(orig_input_shape: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The gradient of AvgPool's input, whose shape is orig_input_shape: each number of grad [N,P,Q,C] is shared out evenly over its window."""

def BatchMatMul(x: Any, y: Any, adj_x: Any = False, adj_y: Any = False, name: str | None = None) -> Any:
    """Products of many matrices at once: x [...,m,k] and y [...,k,n] give [...,m,n]. An input is transposed and conjugated first if so asked."""

def BatchMatMulV2(x: Any, y: Any, adj_x: Any = False, adj_y: Any = False, name: str | None = None) -> Any:
    """As BatchMatMul; the axes in front of the last two broadcast."""

def BatchToSpaceND(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Undoes SpaceToBatchND: `crops` are what was padded."""

def BiasAdd(value: Any, bias: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """Adds bias [C] to each place of value, which has C channels on its last axis, or with data_format 'NCHW' on axis 1."""

def BiasAddGrad(out_backprop: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The gradient of BiasAdd's bias: out_backprop summed over all axes but that of the channels, [C]."""

def Bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The bytes of the input, read as another type. Where sizes differ, a last axis holds the parts of one element."""

def BitwiseAnd(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits of x and y, joined by and, element by element, with broadcasting."""

def BitwiseOr(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits of x and y, joined by or, element by element, with broadcasting."""

def BitwiseXor(x: Any, y: Any, name: str | None = None) -> Any:
    """The bits of x and y, joined by exclusive or, element by element, with broadcasting."""

def BroadcastGradientArgs(s0: Any, s1: Any, name: str | None = None) -> Any:
    """The axes along which a gradient must be summed for an input of shape s0, and for one of shape s1, when both broadcast together."""

def BroadcastTo(input: Any, shape: Any, name: str | None = None) -> Any:
    """The input in `shape`: axes of size 1 are repeated, missing ones are put first."""

def Cast(x: Any, DstT: Any, Truncate: Any = False, name: str | None = None) -> Any:
    """The elements of x as another type: numbers are rounded toward zero for integers, complex numbers lose their imaginary part, and true is what is not 0."""

def Ceil(x: Any, name: str | None = None) -> Any:
    """The smallest integer that is not below x, element by element."""

def CheckNumerics(tensor: Any, message: Any, name: str | None = None) -> Any:
    """The input. A step in which it holds an Inf or a NaN fails with `message`."""

def ClipByValue(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """The elements of t, none below clip_value_min and none above clip_value_max, which are scalars or of the shape of t."""

def Complex(real: Any, imag: Any, Tout: Any = ..., name: str | None = None) -> Any:
    """The complex number real + i imag, element by element, with broadcasting."""

def ComplexAbs(x: Any, Tout: Any = ..., name: str | None = None) -> Any:
    """The absolute value of complex numbers, element by element."""

def Concat(concat_dim: Any, values: Any, name: str | None = None) -> Any:
    """All values behind each other along `concat_dim`; ConcatV2 with the axis first."""

def ConcatOffset(concat_dim: Any, shape: Any, name: str | None = None) -> Any:
    """Where each value starts in the result of joining values of these shapes."""

def ConcatV2(values: Any, axis: Any, name: str | None = None) -> Any:
    """All values behind each other along `axis`. Their other sizes are equal."""

def Conj(input: Any, name: str | None = None) -> Any:
    """The complex conjugate of the input, element by element."""

def ConjugateTranspose(x: Any, perm: Any, name: str | None = None) -> Any:
    """As Transpose, with every complex element replaced by its conjugate."""

def Const(value: Any, dtype: Any, name: str | None = None) -> Any:
    """The tensor `value`, the same at every step."""

def ControlTrigger(name: str | None = None) -> Any:
    """Does nothing. Runs, for its control edges, also where they are dead."""

def Conv2D(input: Any, filter: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """Correlates images [N,H,W,C] with filters [R,S,C,K] to [N,P,Q,K]: at every place of the filter, the sum of image times filter."""

def Conv2DBackpropFilter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """The gradient of Conv2D's filters. filter_sizes is their shape [R,S,C,K], and out_backprop [N,P,Q,K] the gradient of the result."""

def Conv2DBackpropInput(input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: Any = True, explicit_paddings: Any = [], data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """The gradient of Conv2D's images. input_sizes is their shape [N,H,W,C], and out_backprop [N,P,Q,K] the gradient of the result."""

def Cos(x: Any, name: str | None = None) -> Any:
    """The cosine of x, an angle in radians, element by element."""

def Cosh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic cosine of x, element by element."""

def Cumprod(x: Any, axis: Any, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Any:
    """The product of all elements up to each element along an axis; without that element if exclusive, from the end if reverse."""

def Cumsum(x: Any, axis: Any, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Any:
    """The sum of all elements up to each element along an axis; without that element if exclusive, from the end if reverse."""

def DecodeBmp(contents: Any, channels: Any = 0, name: str | None = None) -> Any:
    """The pixels [height, width, channels] of a BMP file that is not compressed."""

def DecodeCSV(records: Any, record_defaults: Any, field_delim: Any = ',', use_quote_delim: Any = True, na_value: Any = '', select_cols: Any = [], name: str | None = None) -> Any:
    """The fields of rows of CSV, a tensor in the shape of `records` for each column; an empty field gets its default."""

def DecodeGif(contents: Any, name: str | None = None) -> Any:
    """The pixels [frames, height, width, 3] of a GIF file."""

def DecodeJSONExample(json_examples: Any, name: str | None = None) -> Any:
    """Serialized Examples from their JSON, in the same shape."""

def DecodeJpeg(contents: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1.0, dct_method: Any = '', name: str | None = None) -> Any:
    """The pixels [height, width, channels] of a JPEG file, `ratio` times smaller."""

def DecodePng(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = None) -> Any:
    """The pixels [height, width, channels] of a PNG file."""

def DecodeRaw(bytes: Any, out_type: Any, little_endian: Any = True, name: str | None = None) -> Any:
    """The bytes of strings, all of one length, as numbers: bytes.shape + [numbers]."""

def DepthToSpace(input: Any, block_size: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """Spreads the depth of each pixel over a block of block_size by block_size."""

def DepthwiseConv2dNative(input: Any, filter: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """Correlates each channel of images [N,H,W,C] with its own M filters, [R,S,C,M] in all, to [N,P,Q,C*M]."""

def DepthwiseConv2dNativeBackpropFilter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """The gradient of DepthwiseConv2dNative's filters, whose shape [R,S,C,M] is filter_sizes."""

def DepthwiseConv2dNativeBackpropInput(input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], name: str | None = None) -> Any:
    """The gradient of DepthwiseConv2dNative's images, whose shape [N,H,W,C] is input_sizes."""

def DeserializeManySparse(serialized_sparse: Any, dtype: Any, name: str | None = None) -> Any:
    """Sparse tensors of one rank from their serialized parts [n, 3], stacked as by TakeManySparseFromTensorsMap."""

def DestroyResourceOp(resource: Any, ignore_lookup_error: Any = True, name: str | None = None) -> Any:
    """Takes a variable's value away and frees its memory."""

def Diag(diagonal: Any, name: str | None = None) -> Any:
    """Zeros of shape [s...,s...] with the elements of `diagonal` [s...] at (i..,i..)."""

def DiagPart(input: Any, name: str | None = None) -> Any:
    """The elements at (i..,i..) of a tensor of shape [s...,s...]."""

def Digamma(x: Any, name: str | None = None) -> Any:
    """The derivative of Lgamma at x, element by element."""

def Div(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, rounded toward zero for integers, element by element, with broadcasting."""

def DivNoNan(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, and 0 where y is 0, element by element, with broadcasting."""

def DynamicPartition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> Any:
    """Puts data[i...] into output partitions[i...], in order."""

def DynamicStitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Undoes DynamicPartition: merged[indices[m][i...]] = data[m][i...]. Where an index comes twice, the last one counts."""

def EagerPyFunc(input: Any, token: Any, Tout: Any, is_async: Any = False, name: str | None = None) -> Any:
    """What the Python function `token` makes of the inputs, as eager tensors."""

def Elu(features: Any, name: str | None = None) -> Any:
    """x where x is at least 0, else exp(x) - 1 (Clevert et al. 2015)."""

def EluGrad(gradients: Any, outputs: Any, name: str | None = None) -> Any:
    """gradients * (outputs + 1) where the outputs of Elu are below 0, else gradients."""

def EncodeJpeg(image: Any, format: Any = '', quality: Any = 95, progressive: Any = False, optimize_size: Any = False, chroma_downsampling: Any = True, density_unit: Any = 'in', x_density: Any = 300, y_density: Any = 300, xmp_metadata: Any = '', name: str | None = None) -> Any:
    """A JPEG file, as a string, of an image [height, width, 1 or 3]."""

def EncodePng(image: Any, compression: Any = -1, name: str | None = None) -> Any:
    """A PNG file, as a string, of an image [height, width, 1 to 4]."""

def EnsureShape(input: Any, shape: Any, name: str | None = None) -> Any:
    """The input. A step in which its shape does not fit `shape` fails."""

def Enter(data: Any, frame_name: Any, is_constant: Any = False, parallel_iterations: Any = 10, name: str | None = None) -> Any:
    """Brings `data` into the loop `frame_name`: to its first iteration, or to every iteration if `is_constant`. At most `parallel_iterations` iterations run at once."""

def Equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x == y, element by element, with broadcasting."""

def Erf(x: Any, name: str | None = None) -> Any:
    """The error function of x, element by element."""

def Erfc(x: Any, name: str | None = None) -> Any:
    """1 - erf(x), exact where erf(x) is near 1, element by element."""

def EuclideanNorm(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The square root of the sum of the squares of the elements along some axes."""

def Exit(data: Any, name: str | None = None) -> Any:
    """Brings `data` out of the loop, from the iteration in which it is not dead."""

def Exp(x: Any, name: str | None = None) -> Any:
    """e to the power of x, element by element."""

def ExpandDims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The input with a new axis of size 1, which becomes axis `dim`."""

def Expm1(x: Any, name: str | None = None) -> Any:
    """exp(x) - 1, exact for x near 0, element by element."""

def ExtractImagePatches(images: Any, ksizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Any:
    """What a window sees from each of its places: images [N,H,W,C] to [N,P,Q,R*S*C], where ksizes is [1,R,S,1] and rates are the distances of the window's taps."""

def ExtractJpegShape(contents: Any, output_type: Any = ..., name: str | None = None) -> Any:
    """The height, width and number of channels of a JPEG file, without decoding it."""

def FIFOQueueV2(component_types: Any, shapes: Any = [], capacity: Any = -1, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A queue whose elements come out in the order in which they went in."""

def Fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """A tensor of shape `dims` in which every element is the scalar `value`."""

def FixedLengthRecordReaderV2(record_bytes: Any, header_bytes: Any = 0, footer_bytes: Any = 0, hop_bytes: Any = 0, container: Any = '', shared_name: Any = '', encoding: Any = '', name: str | None = None) -> Any:
    """A reader whose records are `record_bytes` bytes of a file, between a header and a footer; the key is 'file:record'. Records begin `hop_bytes` apart, or follow each other if that is 0. `encoding` is '', 'ZLIB' or 'GZIP'."""

def Floor(x: Any, name: str | None = None) -> Any:
    """The largest integer that is not above x, element by element."""

def FloorDiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, rounded down, element by element, with broadcasting."""

def FloorMod(x: Any, y: Any, name: str | None = None) -> Any:
    """What remains of x / y rounded down, so that it has the sign of y, element by element, with broadcasting."""

def Gather(params: Any, indices: Any, validate_indices: Any = True, name: str | None = None) -> Any:
    """The rows of params that `indices` names: output[i...] = params[indices[i...]]."""

def GatherNd(params: Any, indices: Any, name: str | None = None) -> Any:
    """The parts of params at `indices`, whose last axis holds one place of params."""

def GatherV2(params: Any, indices: Any, axis: Any, batch_dims: Any = 0, name: str | None = None) -> Any:
    """The slices of params along `axis` that `indices` names. The first batch_dims axes of both run together."""

def Greater(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x > y, element by element, with broadcasting."""

def GreaterEqual(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x >= y, element by element, with broadcasting."""

def HSVToRGB(images: Any, name: str | None = None) -> Any:
    """Red, green and blue of colours [...,3] in hue, saturation and value."""

def HistogramSummary(tag: Any, values: Any, name: str | None = None) -> Any:
    """A Summary with the histogram of `values`, which has any shape. Fails if one is not finite."""

def Identity(input: Any, name: str | None = None) -> Any:
    """The input."""

def IdentityN(input: Any, name: str | None = None) -> Any:
    """All inputs, each on an output of its own."""

def IdentityReaderV2(container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A reader whose records are the work items themselves, as key and as value."""

def Igamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The regularized lower incomplete gamma function P(a, x), the part of the integral of t^(a-1) exp(-t) up to x, element by element, with broadcasting."""

def IgammaGradA(a: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of Igamma by `a`, element by element, with broadcasting."""

def Igammac(a: Any, x: Any, name: str | None = None) -> Any:
    """The regularized upper incomplete gamma function, 1 - Igamma(a, x), element by element, with broadcasting."""

def Imag(input: Any, Tout: Any = ..., name: str | None = None) -> Any:
    """The imaginary part of complex numbers, element by element."""

def ImageSummary(tag: Any, tensor: Any, max_images: Any = 3, bad_color: Any = ..., name: str | None = None) -> Any:
    """A Summary with the first images of `tensor` [batch,height,width,channels] as PNG files; channels are 1, 3 or 4. Numbers that are not uint8 are scaled, image by image, to fill the range; pixels that are not finite get `bad_color`, a uint8 [channels] or longer."""

def InTopK(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """For each row of predictions [N,C], whether fewer than k of them are above that of its target, [N]. False where a prediction in question is not finite."""

def InTopKV2(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """InTopK with k as an input."""

def Inv(x: Any, name: str | None = None) -> Any:
    """The older name of Reciprocal: 1 / x, element by element."""

def InvGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = 1 / x: -dy * y * y, element by element."""

def Invert(x: Any, name: str | None = None) -> Any:
    """x with every bit turned over, element by element."""

def InvertPermutation(x: Any, name: str | None = None) -> Any:
    """The permutation that undoes x: y[x[i]] = i."""

def IsFinite(x: Any, name: str | None = None) -> Any:
    """Whether x is neither infinite nor not a number, element by element."""

def IsInf(x: Any, name: str | None = None) -> Any:
    """Whether x is infinite, element by element."""

def IsNan(x: Any, name: str | None = None) -> Any:
    """Whether x is not a number, element by element."""

def L2Loss(t: Any, name: str | None = None) -> Any:
    """sum(t^2) / 2, a scalar."""

def LRN(input: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = None) -> Any:
    """x / (bias + alpha * s)^beta for x [N,H,W,C], where s is the sum of the squares of the depth_radius channels on either side and of x (Krizhevsky et al. 2012)."""

def LRNGrad(input_grads: Any, input_image: Any, output_image: Any, depth_radius: Any = 5, bias: Any = 1.0, alpha: Any = 1.0, beta: Any = 0.5, name: str | None = None) -> Any:
    """The gradient of LRN's input, from that of its output, its input and its output."""

def LeakyRelu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """x where x is above 0, else alpha * x."""

def LeakyReluGrad(gradients: Any, features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """gradients where features are above 0, else alpha * gradients."""

def LeftShift(x: Any, y: Any, name: str | None = None) -> Any:
    """x with its bits moved y places to the left, y being brought into [0, bits of T), element by element, with broadcasting."""

def Less(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x < y, element by element, with broadcasting."""

def LessEqual(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x <= y, element by element, with broadcasting."""

def Lgamma(x: Any, name: str | None = None) -> Any:
    """The logarithm of the absolute value of the gamma function of x, element by element."""

def LinSpace(start: Any, stop: Any, num: Any, name: str | None = None) -> Any:
    """`num` numbers at equal distances, from start to stop, both included."""

def ListDiff(x: Any, y: Any, out_idx: Any = ..., name: str | None = None) -> Any:
    """The elements of x that are not in y, in order, and where they are in x."""

def Log(x: Any, name: str | None = None) -> Any:
    """The natural logarithm of x, element by element."""

def Log1p(x: Any, name: str | None = None) -> Any:
    """log(1 + x), exact for x near 0, element by element."""

def LogSoftmax(logits: Any, name: str | None = None) -> Any:
    """x - log(sum(exp(x))) along the last axis: the logarithm of Softmax."""

def LogicalAnd(x: Any, y: Any, name: str | None = None) -> Any:
    """X and y, element by element, with broadcasting."""

def LogicalNot(x: Any, name: str | None = None) -> Any:
    """Not x, element by element."""

def LogicalOr(x: Any, y: Any, name: str | None = None) -> Any:
    """X or y, element by element, with broadcasting."""

def LoopCond(input: Any, name: str | None = None) -> Any:
    """The scalar `input`, which says whether the loop goes on."""

def LowerBound(sorted_inputs: Any, values: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """For each value in row i of `values`, how many elements of the sorted row i of `sorted_inputs` are less than it."""

def MatMul(a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, name: str | None = None) -> Any:
    """The matrix product [m,n] of a [m,k] and b [k,n], each transposed first if so asked."""

def MatchingFiles(pattern: Any, name: str | None = None) -> Any:
    """The paths [?] that match any of `pattern`, in alphabetical order."""

def MatrixBandPart(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """Each matrix with zeros outside a band of num_lower diagonals below the main one and num_upper above. A negative number keeps all."""

def MatrixDeterminant(input: Any, name: str | None = None) -> Any:
    """The determinant of each matrix."""

def MatrixDiag(diagonal: Any, name: str | None = None) -> Any:
    """Square matrices of zeros with the vectors of `diagonal` on their diagonals."""

def MatrixDiagPart(input: Any, name: str | None = None) -> Any:
    """The diagonal of each matrix."""

def MatrixInverse(input: Any, adjoint: Any = False, name: str | None = None) -> Any:
    """The inverse of each matrix, or of its conjugate transpose if `adjoint`. Fails where there is none."""

def MatrixSetDiag(input: Any, diagonal: Any, name: str | None = None) -> Any:
    """Each matrix with its diagonal replaced."""

def Max(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The largest element along some axes; not a number if one of them is."""

def MaxPool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The largest number of each window of ksize: [N,H,W,C] to [N,P,Q,C]. Padding does not take part."""

def MaxPoolGrad(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The gradient of MaxPool's input: each number of grad [N,P,Q,C] is added where the window had its maximum; of several, to the first."""

def MaxPoolGradGrad(orig_input: Any, orig_output: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """The gradient of MaxPoolGrad's grad: for each window the number of grad [N,H,W,C] that stands where orig_input has its first maximum."""

def MaxPoolWithArgmax(input: Any, ksize: Any, strides: Any, padding: Any, Targmax: Any = ..., include_batch_in_index: Any = False, name: str | None = None) -> Any:
    """MaxPool, and for each maximum its place (h * W + w) * C + c in the image, or with include_batch_in_index ((n * H + h) * W + w) * C + c in the batch."""

def Maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of x and y, element by element, with broadcasting."""

def Mean(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The mean of the elements along some axes; of no elements, not a number."""

def Merge(inputs: Any, name: str | None = None) -> Any:
    """The first of `inputs` that is there and not dead, and its number. Runs as soon as there is one."""

def MergeSummary(inputs: Any, name: str | None = None) -> Any:
    """One Summary with the values of all `inputs`, which have any shape. Fails if a tag comes twice."""

def Min(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The smallest element along some axes; not a number if one of them is."""

def Minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of x and y, element by element, with broadcasting."""

def MirrorPad(input: Any, paddings: Any, mode: Any, name: str | None = None) -> Any:
    """As Pad, with the input mirrored at its border. SYMMETRIC repeats the border itself, REFLECT does not."""

def MirrorPadGrad(input: Any, paddings: Any, mode: Any, name: str | None = None) -> Any:
    """The gradient of MirrorPad: every element goes back to where it was taken from."""

def Mod(x: Any, y: Any, name: str | None = None) -> Any:
    """What remains of x / y rounded toward zero, so that it has the sign of x, element by element, with broadcasting."""

def Mul(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, element by element, with broadcasting."""

def MulNoNan(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, and 0 where y is 0 even if x is infinite or not a number, element by element, with broadcasting."""

def Multinomial(logits: Any, num_samples: Any, seed: Any = 0, seed2: Any = 0, output_dtype: Any = ..., name: str | None = None) -> Any:
    """For each row of `logits` [batch,classes], num_samples classes drawn with probabilities in proportion to exp(logit)."""

def Neg(x: Any, name: str | None = None) -> Any:
    """-x, element by element."""

def NextAfter(x1: Any, x2: Any, name: str | None = None) -> Any:
    """The number of type T next to x1 in the direction of x2, element by element, with broadcasting."""

def NextIteration(data: Any, name: str | None = None) -> Any:
    """Brings `data` to the next iteration of the loop."""

def NoOp(name: str | None = None) -> Any:
    """Nothing. Useful as the end of control dependencies."""

def NotEqual(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x != y, element by element, with broadcasting."""

def OneHot(indices: Any, depth: Any, on_value: Any, off_value: Any, axis: Any = -1, name: str | None = None) -> Any:
    """A new axis of size depth at `axis`, with on_value where its index is that of `indices` and off_value elsewhere. An index outside [0, depth) gives off_value throughout."""

def OnesLike(x: Any, name: str | None = None) -> Any:
    """Ones in the shape of x."""

def Pack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """All values, which have one shape, along a new axis `axis`."""

def Pad(input: Any, paddings: Any, name: str | None = None) -> Any:
    """The input with paddings[i,0] zeros before axis i and paddings[i,1] behind it."""

def PadV2(input: Any, paddings: Any, constant_values: Any, name: str | None = None) -> Any:
    """As Pad, with the scalar constant_values instead of zeros."""

def PaddingFIFOQueueV2(component_types: Any, shapes: Any = [], capacity: Any = -1, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A FIFOQueue whose elements may differ in size; a batch of them is filled up with zeros."""

def ParseExample(serialized: Any, names: Any, sparse_keys: Any, dense_keys: Any, dense_defaults: Any, sparse_types: Any, dense_shapes: Any, name: str | None = None) -> Any:
    """The features of Examples `serialized` [N] called `sparse_keys`, as sparse tensors of shape [N, most values], and `dense_keys`, as tensors [N] + shape."""

def ParseSequenceExample(serialized: Any, debug_name: Any, context_dense_defaults: Any, feature_list_dense_missing_assumed_empty: Any, context_sparse_keys: Any, context_dense_keys: Any, feature_list_sparse_keys: Any, feature_list_dense_keys: Any, Ncontext_sparse: Any = 0, Ncontext_dense: Any = 0, Nfeature_list_sparse: Any = 0, Nfeature_list_dense: Any = 0, context_sparse_types: Any = [], feature_list_dense_types: Any = [], context_dense_shapes: Any = [], feature_list_sparse_types: Any = [], feature_list_dense_shapes: Any = [], name: str | None = None) -> Any:
    """The features of SequenceExamples `serialized` [N], as by ParseSingleSequenceExample with an axis in front that counts records. Dense lists are filled up with zeros to the longest; `feature_list_dense_lengths` [N] has how long they are."""

def ParseSingleExample(serialized: Any, dense_defaults: Any, num_sparse: Any, sparse_keys: Any, dense_keys: Any, sparse_types: Any, dense_shapes: Any, name: str | None = None) -> Any:
    """The features of one Example `serialized` called `sparse_keys`, as sparse vectors, and `dense_keys`, as tensors of `dense_shapes`."""

def ParseSingleSequenceExample(serialized: Any, feature_list_dense_missing_assumed_empty: Any, context_sparse_keys: Any, context_dense_keys: Any, feature_list_sparse_keys: Any, feature_list_dense_keys: Any, context_dense_defaults: Any, debug_name: Any, context_sparse_types: Any = [], feature_list_dense_types: Any = [], context_dense_shapes: Any = [], feature_list_sparse_types: Any = [], feature_list_dense_shapes: Any = [], name: str | None = None) -> Any:
    """The features of one SequenceExample `serialized`: those of its context as by ParseSingleExample, those of its lists with an axis in front that counts steps."""

def ParseTensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    """The tensor of a serialized TensorProto, which must be of `out_type`."""

def Placeholder(dtype: Any, shape: Any = ..., name: str | None = None) -> Any:
    """A value that must be fed. A step that needs it and does not feed it fails."""

def PlaceholderWithDefault(input: Any, shape: Any, name: str | None = None) -> Any:
    """A value that may be fed; it is `input` where it is not."""

def Polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of order `a`, a whole number that is not negative, of Digamma at x, element by element, with broadcasting."""

def Pow(x: Any, y: Any, name: str | None = None) -> Any:
    """x to the power of y, element by element, with broadcasting."""

def PreventGradient(input: Any, message: Any = '', name: str | None = None) -> Any:
    """The input. Asking for a gradient through it fails with `message`."""

def Print(input: Any, data: Any, message: Any = '', first_n: Any = -1, summarize: Any = 3, name: str | None = None) -> Any:
    """The input. Prints `message` and the tensors in `data` to the error stream, at the first `first_n` steps or, if that is negative, at all."""

def PrintV2(input: Any, output_stream: Any = 'stderr', end: Any = '\n', name: str | None = None) -> Any:
    """Writes the scalar `input`, and `end` after it, to `output_stream`: stdout, stderr, or a file, file://PATH, to whose end it is added."""

def PriorityQueueV2(shapes: Any, component_types: Any = [], capacity: Any = -1, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A queue whose elements come out in the order of their first component, an int64 scalar that stands before `component_types`."""

def Prod(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The product of the elements along some axes."""

def PyFunc(input: Any, token: Any, Tout: Any, name: str | None = None) -> Any:
    """What the Python function `token` makes of NumPy arrays of the inputs."""

def PyFuncStateless(input: Any, token: Any, Tout: Any, name: str | None = None) -> Any:
    """As PyFunc, for a function whose result depends on nothing but the inputs, so that equal calls may be made once."""

def QueueCloseV2(handle: Any, cancel_pending_enqueues: Any = False, name: str | None = None) -> Any:
    """Closes a queue: it takes no more elements. Calls that wait to put one in still do so, unless `cancel_pending_enqueues`."""

def QueueDequeueManyV2(handle: Any, n: Any, component_types: Any, timeout_ms: Any = -1, name: str | None = None) -> Any:
    """Takes n elements from a queue and stacks each component to [n, ...]."""

def QueueDequeueUpToV2(handle: Any, n: Any, component_types: Any, timeout_ms: Any = -1, name: str | None = None) -> Any:
    """As QueueDequeueManyV2; of a closed queue with fewer than n elements it takes those that are left."""

def QueueDequeueV2(handle: Any, component_types: Any, timeout_ms: Any = -1, name: str | None = None) -> Any:
    """Takes one element from a queue; waits until there is one."""

def QueueEnqueueManyV2(handle: Any, components: Any, timeout_ms: Any = -1, name: str | None = None) -> Any:
    """Puts the rows of `components`, each [n, ...], into a queue as n elements; waits until all are in."""

def QueueEnqueueV2(handle: Any, components: Any, timeout_ms: Any = -1, name: str | None = None) -> Any:
    """Puts one element into a queue; waits until there is room."""

def QueueIsClosedV2(handle: Any, name: str | None = None) -> Any:
    """Whether a queue is closed."""

def QueueSizeV2(handle: Any, name: str | None = None) -> Any:
    """How many elements a queue holds now."""

def RGBToHSV(images: Any, name: str | None = None) -> Any:
    """Hue, saturation and value, all in [0, 1], of colours [...,3] in red, green and blue."""

def RandomShuffle(value: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """The rows of the value (its slices along axis 0) in random order."""

def RandomShuffleQueueV2(component_types: Any, shapes: Any = [], capacity: Any = -1, min_after_dequeue: Any = 0, seed: Any = 0, seed2: Any = 0, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A queue whose elements come out in random order; it keeps `min_after_dequeue` of them while it is open."""

def RandomStandardNormal(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """A tensor of `shape` of normal numbers with mean 0 and deviation 1."""

def RandomUniform(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """A tensor of `shape` of numbers spread evenly over [0, 1)."""

def RandomUniformInt(shape: Any, minval: Any, maxval: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """A tensor of `shape` of integers spread evenly over [minval, maxval)."""

def Range(start: Any, limit: Any, delta: Any, name: str | None = None) -> Any:
    """The numbers start, start + delta, start + 2 delta and so on, up to limit but without it."""

def Rank(input: Any, name: str | None = None) -> Any:
    """The number of axes of the input."""

def ReadFile(filename: Any, name: str | None = None) -> Any:
    """All bytes of the file `filename`, as a scalar."""

def ReadVariableOp(resource: Any, dtype: Any, name: str | None = None) -> Any:
    """The value of a variable, now. What is assigned later does not change it."""

def ReaderNumRecordsProducedV2(reader_handle: Any, name: str | None = None) -> Any:
    """How many records a reader has read."""

def ReaderNumWorkUnitsCompletedV2(reader_handle: Any, name: str | None = None) -> Any:
    """How many work items a reader has read to their end."""

def ReaderReadUpToV2(reader_handle: Any, queue_handle: Any, num_records: Any, name: str | None = None) -> Any:
    """The next records of a reader, at least one and up to `num_records`, all of one work item."""

def ReaderReadV2(reader_handle: Any, queue_handle: Any, name: str | None = None) -> Any:
    """The next record of a reader, which takes work items, such as names of files, from a queue when it needs one. Waits for the queue."""

def ReaderResetV2(reader_handle: Any, name: str | None = None) -> Any:
    """Lets a reader forget everything: it is as new."""

def ReaderRestoreStateV2(reader_handle: Any, state: Any, name: str | None = None) -> Any:
    """Lets a reader go on where it stood when `state` was taken."""

def ReaderSerializeStateV2(reader_handle: Any, name: str | None = None) -> Any:
    """Where a reader stands, as bytes. Not every reader can say."""

def Real(input: Any, Tout: Any = ..., name: str | None = None) -> Any:
    """The real part of complex numbers, element by element."""

def RealDiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y for real and complex numbers, element by element, with broadcasting."""

def Reciprocal(x: Any, name: str | None = None) -> Any:
    """1 / x, element by element."""

def ReciprocalGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = 1 / x: -dy * y * y, element by element."""

def Relu(features: Any, name: str | None = None) -> Any:
    """max(x, 0), element by element."""

def Relu6(features: Any, name: str | None = None) -> Any:
    """min(max(x, 0), 6), element by element."""

def Relu6Grad(gradients: Any, features: Any, name: str | None = None) -> Any:
    """gradients where features are between 0 and 6, else 0."""

def ReluGrad(gradients: Any, features: Any, name: str | None = None) -> Any:
    """gradients where features are above 0, else 0. The outputs of Relu may stand for the features."""

def Reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The same elements in another shape, the last axis running fastest. One size may be -1: it is worked out from the number of elements."""

def ResizeArea(images: Any, size: Any, align_corners: Any = False, name: str | None = None) -> Any:
    """Images [N,H,W,C] at another size [h,w]: each pixel is the mean of the area that it covers."""

def ResizeBicubic(images: Any, size: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """Images [N,H,W,C] at another size [h,w], by a cubic polynomial through four pixels on each axis."""

def ResizeBicubicGrad(grads: Any, original_image: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """The gradient of ResizeBicubic: each of `grads` [N,h,w,C] goes back to the pixels of [N,H,W,C] that it came from."""

def ResizeBilinear(images: Any, size: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """Images [N,H,W,C] at another size [h,w]: each pixel is a mean of the four around its place, by distance."""

def ResizeBilinearGrad(grads: Any, original_image: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """The gradient of ResizeBilinear: each of `grads` [N,h,w,C] goes back to the pixels of [N,H,W,C] that it came from."""

def ResizeNearestNeighbor(images: Any, size: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """Images [N,H,W,C] at another size [h,w]: each pixel is the nearest one."""

def ResizeNearestNeighborGrad(grads: Any, size: Any, align_corners: Any = False, half_pixel_centers: Any = False, name: str | None = None) -> Any:
    """The gradient of ResizeNearestNeighbor for images of `size` [H,W]: what went to several pixels comes back as their sum."""

def ResourceApplyAdadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """accum += (g * g - accum) * (1 - rho); update = g * sqrt(accum_update + epsilon) / sqrt(accum + epsilon); accum_update += (update * update - accum_update) * (1 - rho); var -= lr * update"""

def ResourceApplyAdagrad(var: Any, accum: Any, lr: Any, grad: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None) -> Any:
    """accum += g * g, unless update_slots is false; var -= lr * g / sqrt(accum)"""

def ResourceApplyAdam(var: Any, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None) -> Any:
    """m += (g - m) * (1 - beta1); v += (g * g - v) * (1 - beta2); var -= lr_t * m / (sqrt(v) + epsilon), where lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power). With use_nesterov, beta1 * m + (1 - beta1) * g stands for the last m."""

def ResourceApplyCenteredRMSProp(var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """As ResourceApplyRMSProp, with mg += (g - mg) * (1 - rho) and ms - mg * mg in place of ms under the root."""

def ResourceApplyFtrl(var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """With p(a) = a ^ -lr_power: linear += g - (p(accum + g * g) - p(accum)) / lr * var; accum += g * g; var = (sign(linear) * l1 - linear) / (p(accum) / lr + 2 * l2) where |linear| > l1, and 0 elsewhere."""

def ResourceApplyFtrlV2(var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """As ResourceApplyFtrl, with g + 2 * l2_shrinkage * var in place of g in what is added to linear first."""

def ResourceApplyGradientDescent(var: Any, alpha: Any, delta: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """var -= alpha * delta"""

def ResourceApplyMomentum(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None) -> Any:
    """accum = accum * momentum + g; var -= lr * accum. With use_nesterov, var -= lr * (g + momentum * accum)."""

def ResourceApplyProximalAdagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """accum += g * g; the rest as ResourceApplyProximalGradientDescent does it, with alpha = lr / sqrt(accum)."""

def ResourceApplyProximalGradientDescent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """x = var - alpha * delta; var = sign(x) * max(|x| - alpha * l1, 0) / (1 + alpha * l2)"""

def ResourceApplyRMSProp(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """ms += (g * g - ms) * (1 - rho); mom = mom * momentum + lr * g / sqrt(ms + epsilon); var -= mom"""

def ResourceCountUpTo(resource: Any, limit: Any, T: Any, name: str | None = None) -> Any:
    """The value of a scalar variable, which is then one more. OutOfRange once it has reached `limit`."""

def ResourceGather(resource: Any, indices: Any, dtype: Any, batch_dims: Any = 0, validate_indices: Any = True, name: str | None = None) -> Any:
    """The rows of a variable that `indices` names, read without copying the rest."""

def ResourceScatterAdd(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Adds updates[i...] to row indices[i...] of a variable."""

def ResourceScatterDiv(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Divides row indices[i...] of a variable by updates[i...]."""

def ResourceScatterMax(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Row indices[i...] of a variable becomes its maximum with updates[i...]."""

def ResourceScatterMin(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Row indices[i...] of a variable becomes its minimum with updates[i...]."""

def ResourceScatterMul(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Multiplies row indices[i...] of a variable by updates[i...]."""

def ResourceScatterSub(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Subtracts updates[i...] from row indices[i...] of a variable."""

def ResourceScatterUpdate(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Row indices[i...] of a variable becomes updates[i...]."""

def ResourceSparseApplyAdadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyAdadelta does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyAdagrad(var: Any, accum: Any, lr: Any, grad: Any, indices: Any, use_locking: Any = False, update_slots: Any = True, name: str | None = None) -> Any:
    """What ResourceApplyAdagrad does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyCenteredRMSProp(var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyCenteredRMSProp does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyFtrl(var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyFtrl does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyFtrlV2(var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyFtrlV2 does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyMomentum(var: Any, accum: Any, lr: Any, grad: Any, indices: Any, momentum: Any, use_locking: Any = False, use_nesterov: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyMomentum does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyProximalAdagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyProximalAdagrad does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyProximalGradientDescent(var: Any, alpha: Any, l1: Any, l2: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyProximalGradientDescent does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def ResourceSparseApplyRMSProp(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any, use_locking: Any = False, name: str | None = None) -> Any:
    """What ResourceApplyRMSProp does, to the rows `indices` of the variables only; row i of grad is for row indices[i]."""

def Reverse(tensor: Any, dims: Any, name: str | None = None) -> Any:
    """The tensor, backwards along every axis i with dims[i]."""

def ReverseSequence(input: Any, seq_lengths: Any, seq_dim: Any, batch_dim: Any = 0, name: str | None = None) -> Any:
    """The first seq_lengths[b] elements along seq_dim backwards, for every element b of batch_dim; the rest as it was."""

def ReverseV2(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor, backwards along the axes listed in `axis`."""

def RightShift(x: Any, y: Any, name: str | None = None) -> Any:
    """x with its bits moved y places to the right, keeping the sign, y being brought into [0, bits of T), element by element, with broadcasting."""

def Rint(x: Any, name: str | None = None) -> Any:
    """The integer next to x, of two the even one, element by element."""

def Round(x: Any, name: str | None = None) -> Any:
    """The integer next to x, of two the even one, element by element."""

def Rsqrt(x: Any, name: str | None = None) -> Any:
    """1 / sqrt(x), element by element."""

def RsqrtGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = rsqrt(x): -dy * y * y * y / 2, element by element."""

def ScalarSummary(tags: Any, values: Any, name: str | None = None) -> Any:
    """A Summary with one number for each element of `values`, under the tag in the same place of `tags`, which has the same shape."""

def ScatterNd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Zeros of `shape`, with every update added at its place in `indices`."""

def SegmentMax(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The largest of the rows of data [n,...] in each segment, as [segments,...]; 0 for a segment without rows. segment_ids [n] ascends."""

def SegmentMean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The mean of the rows of data [n,...] in each segment, as [segments,...]; 0 for a segment without rows. segment_ids [n] ascends."""

def SegmentMin(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The smallest of the rows of data [n,...] in each segment, as [segments,...]; 0 for a segment without rows. segment_ids [n] ascends."""

def SegmentProd(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The product of the rows of data [n,...] in each segment, as [segments,...]; 1 for a segment without rows. segment_ids [n] ascends."""

def SegmentSum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The sum of the rows of data [n,...] in each segment, as [segments,...]; 0 for a segment without rows. segment_ids [n] ascends."""

def Select(condition: Any, x: Any, y: Any, name: str | None = None) -> Any:
    """The elements of t where condition is true, those of e elsewhere. condition has the shape of t, or is a scalar, or a vector that chooses between rows."""

def SelectV2(condition: Any, t: Any, e: Any, name: str | None = None) -> Any:
    """The elements of t where condition is true, those of e elsewhere; all three broadcast."""

def Selu(features: Any, name: str | None = None) -> Any:
    """scale * x where x is at least 0, else scale * alpha * (exp(x) - 1), with the constants 1.0507 and 1.6733 of Klambauer et al. 2017."""

def SeluGrad(gradients: Any, outputs: Any, name: str | None = None) -> Any:
    """gradients * (outputs + scale * alpha) where the outputs of Selu are below 0, else gradients * scale."""

def SerializeManySparse(sparse_indices: Any, sparse_values: Any, sparse_shape: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """The rows of a sparse tensor [n, ...], each as by SerializeSparse: [n, 3]."""

def SerializeSparse(sparse_indices: Any, sparse_values: Any, sparse_shape: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """Indices, values and shape of a sparse tensor as three serialized TensorProtos."""

def SerializeTensor(tensor: Any, name: str | None = None) -> Any:
    """A tensor as a serialized TensorProto."""

def Shape(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """The sizes of the input's axes, as a vector."""

def ShapeN(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """The sizes of the axes of each input."""

def Sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)), element by element."""

def SigmoidGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = sigmoid(x): dy * y * (1 - y), element by element."""

def Sign(x: Any, name: str | None = None) -> Any:
    """-1, 0 or 1 for the sign of x, or x / |x| for complex x and 0 for 0, element by element."""

def Sin(x: Any, name: str | None = None) -> Any:
    """The sine of x, an angle in radians, element by element."""

def Sinh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic sine of x, element by element."""

def Size(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """The number of elements of the input."""

def Slice(input: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """size[i] elements of axis i from begin[i] on; a size of -1 takes all the rest."""

def Snapshot(input: Any, name: str | None = None) -> Any:
    """The input as it is now."""

def Softmax(logits: Any, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) along the last axis: probabilities that add up to 1."""

def SoftmaxCrossEntropyWithLogits(features: Any, labels: Any, name: str | None = None) -> Any:
    """For each row of logits and of label probabilities [N,C], -sum(labels * log(softmax(logits))), [N]; and its gradient softmax(logits) - labels, [N,C]."""

def Softplus(features: Any, name: str | None = None) -> Any:
    """log(exp(x) + 1), element by element."""

def SoftplusGrad(gradients: Any, features: Any, name: str | None = None) -> Any:
    """gradients / (exp(-features) + 1)."""

def Softsign(features: Any, name: str | None = None) -> Any:
    """x / (abs(x) + 1), element by element."""

def SoftsignGrad(gradients: Any, features: Any, name: str | None = None) -> Any:
    """gradients / (abs(features) + 1)^2."""

def SpaceToBatchND(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Pads the spatial axes with zeros, and makes a batch element of each place in a block of block_shape."""

def SpaceToDepth(input: Any, block_size: Any, data_format: Any = 'NHWC', name: str | None = None) -> Any:
    """Puts the pixels of each block_size by block_size block into one pixel's depth."""

def SparseSoftmaxCrossEntropyWithLogits(features: Any, labels: Any, name: str | None = None) -> Any:
    """For each row of logits [N,C] and its label in [0, C), -log(softmax(logits)) at the label, [N]; and its gradient softmax(logits) - onehot(label), [N,C]."""

def SparseToDense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, validate_indices: Any = True, name: str | None = None) -> Any:
    """A tensor of `output_shape` with `sparse_values` [n], or one value, at places `sparse_indices` [n, rank], and `default_value` elsewhere."""

def Split(axis: Any, value: Any, num_split: Any, name: str | None = None) -> Any:
    """The value cut into num_split pieces of one size along axis split_dim."""

def SplitV(value: Any, size_splits: Any, axis: Any, num_split: Any, name: str | None = None) -> Any:
    """The value cut into pieces of `size_splits` along axis split_dim. One size may be -1: it is what the others leave."""

def Sqrt(x: Any, name: str | None = None) -> Any:
    """The square root of x, element by element."""

def SqrtGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = sqrt(x): dy / (2 y), element by element."""

def Square(x: Any, name: str | None = None) -> Any:
    """x * x, element by element."""

def SquaredDifference(x: Any, y: Any, name: str | None = None) -> Any:
    """(x - y) * (x - y), with one factor conjugated for complex numbers, element by element, with broadcasting."""

def Squeeze(input: Any, axis: Any = [], name: str | None = None) -> Any:
    """The input without the axes `squeeze_dims`, or without all axes of size 1."""

def StackCloseV2(handle: Any, name: str | None = None) -> Any:
    """Drops all elements; from then on nothing can be pushed or popped."""

def StackPopV2(handle: Any, elem_type: Any, name: str | None = None) -> Any:
    """Takes the top element off the stack."""

def StackPushV2(handle: Any, elem: Any, swap_memory: Any = False, name: str | None = None) -> Any:
    """Puts `elem` on top of the stack, and gives it back. `swap_memory` allows to keep it in the memory of the CPU, where it is in any case."""

def StackV2(max_size: Any, elem_type: Any, stack_name: Any = '', name: str | None = None) -> Any:
    """A new stack of tensors of `elem_type`, of at most the scalar `max_size`; a negative size is no limit."""

def StopGradient(input: Any, name: str | None = None) -> Any:
    """The input, taken for a constant when gradients are computed."""

def StridedSlice(input: Any, begin: Any, end: Any, strides: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, name: str | None = None) -> Any:
    """What x[1:5:2, ..., tf.newaxis, -1] means: begin, end and strides have an entry for each item between the brackets, the masks say what kind of item it is."""

def StridedSliceGrad(shape: Any, begin: Any, end: Any, strides: Any, dy: Any, begin_mask: Any = 0, end_mask: Any = 0, ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, name: str | None = None) -> Any:
    """Zeros of `shape`, with dy where StridedSlice takes its elements from."""

def StringFormat(inputs: Any, template: Any = '%s', placeholder: Any = '%s', summarize: Any = 3, name: str | None = None) -> Any:
    """`template`, a scalar, with the n-th `placeholder` replaced by the text of the n-th input. Of each axis the first and last `summarize` elements are shown, all if it is negative."""

def Sub(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y, element by element, with broadcasting."""

def Sum(input: Any, axis: Any, keep_dims: Any = False, name: str | None = None) -> Any:
    """The sum of the elements along some axes."""

def Switch(data: Any, pred: Any, name: str | None = None) -> Any:
    """Puts `data` on output_true if the scalar `pred` is true, else on output_false. The other output is dead: nothing that needs it is run."""

def TFRecordReaderV2(container: Any = '', shared_name: Any = '', compression_type: Any = '', name: str | None = None) -> Any:
    """A reader of TFRecord files; the key is 'file:offset'. `compression_type` is '', 'ZLIB' or 'GZIP'."""

def TakeManySparseFromTensorsMap(sparse_handles: Any, dtype: Any, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """Takes sparse tensors of one rank out of a map, and stacks them: n of [a, b] to [n, a, b], where each axis is as long as the longest."""

def Tan(x: Any, name: str | None = None) -> Any:
    """The tangent of x, an angle in radians, element by element."""

def Tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent of x, element by element."""

def TanhGrad(y: Any, dy: Any, name: str | None = None) -> Any:
    """dL/dx for y = tanh(x): dy * (1 - y * y), element by element."""

def TensorSummaryV2(tag: Any, tensor: Any, serialized_summary_metadata: Any, name: str | None = None) -> Any:
    """A Summary that holds `tensor` itself, of any shape, with a SummaryMetadata message that says what plugin of TensorBoard it is for."""

def TextLineReaderV2(skip_header_lines: Any = 0, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A reader whose records are the lines of files, without their ends; the key is 'file:line'. The first `skip_header_lines` lines of each file are left out."""

def Tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The input repeated multiples[i] times along axis i."""

def TopKV2(input: Any, k: Any, sorted: Any = True, name: str | None = None) -> Any:
    """The k largest of each row along the last axis, the largest first, and where they stand. Of equal ones the first comes first."""

def Transpose(x: Any, perm: Any, name: str | None = None) -> Any:
    """x with its axes in another order: axis i of y is axis perm[i] of x."""

def TruncateDiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, rounded toward zero for integers, element by element, with broadcasting."""

def TruncateMod(x: Any, y: Any, name: str | None = None) -> Any:
    """What remains of x / y rounded toward zero, so that it has the sign of x, element by element, with broadcasting."""

def TruncatedNormal(shape: Any, dtype: Any, seed: Any = 0, seed2: Any = 0, name: str | None = None) -> Any:
    """As RandomStandardNormal, but numbers that are more than 2 from 0 are drawn again."""

def Unique(x: Any, out_idx: Any = ..., name: str | None = None) -> Any:
    """The different elements of the vector x in order, so that x[i] = y[idx[i]]."""

def Unpack(value: Any, num: Any, axis: Any = 0, name: str | None = None) -> Any:
    """The slices of the value along `axis`, each on an output, without that axis."""

def UnsortedSegmentMax(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The largest of the rows of data in each segment, as [num_segments,...]; the lowest number of T for a segment without rows. Rows with a negative id are left out."""

def UnsortedSegmentMin(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The smallest of the rows of data in each segment, as [num_segments,...]; the highest number of T for a segment without rows. Rows with a negative id are left out."""

def UnsortedSegmentProd(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The product of the rows of data in each segment, as [num_segments,...]; 1 for a segment without rows. Rows with a negative id are left out."""

def UnsortedSegmentSum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sum of the rows of data in each segment, as [num_segments,...]; 0 for a segment without rows. Rows with a negative id are left out."""

def UpperBound(sorted_inputs: Any, values: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """For each value in row i of `values`, how many elements of the sorted row i of `sorted_inputs` are not greater than it."""

def VarHandleOp(dtype: Any, shape: Any, container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A handle to the variable called `shared_name` or, if that is empty, like the node. It has no value before the first AssignVariableOp."""

def VarIsInitializedOp(resource: Any, name: str | None = None) -> Any:
    """Whether a variable has a value."""

def VariableShape(input: Any, out_type: Any = ..., name: str | None = None) -> Any:
    """The shape of a variable's value, as a vector."""

def Where(condition: Any, name: str | None = None) -> Any:
    """The places of all elements that are true, or not 0, one in a row, in order."""

def WholeFileReaderV2(container: Any = '', shared_name: Any = '', name: str | None = None) -> Any:
    """A reader whose records are whole files; the key is the file's name."""

def WriteFile(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Makes the file `filename` of the bytes `contents`, and folders for it."""

def Xdivy(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, and 0 where x is 0, element by element, with broadcasting."""

def Xlogy(x: Any, y: Any, name: str | None = None) -> Any:
    """x * log(y), and 0 where x is 0, element by element, with broadcasting."""

def ZerosLike(x: Any, name: str | None = None) -> Any:
    """Zeros in the shape of x; false, or empty strings, where x is of that type."""

def Zeta(x: Any, q: Any, name: str | None = None) -> Any:
    """The Hurwitz zeta function, the sum of (q + n)^-x over n = 0, 1, ..., element by element, with broadcasting."""

def _Arg(T: Any, index: Any, name: str | None = None) -> Any:
    """The value that a step is given as its feed number `index`."""

def _FusedConv2D(input: Any, filter: Any, args: Any, strides: Any, padding: Any, explicit_paddings: Any = [], data_format: Any = 'NHWC', dilations: Any = [1, 1, 1, 1], use_cudnn_on_gpu: Any = True, fused_ops: Any = [], epsilon: Any = 0.0001, name: str | None = None) -> Any:
    """Correlates images [N,H,W,C] with filters [R,S,C,K] to [N,P,Q,K], followed by what fused_ops names: BiasAdd, whose bias [K] is in args, and then an activation."""

def _FusedElementwise(inputs: Any, ops: Any, arguments: Any, name: str | None = None) -> Any:
    """Several element-wise ops, one after another, on inputs that broadcast. Step i is ops[i] of arguments 2 i and 2 i + 1: a number below N is an input, N + j the result of step j, and -1 stands for no second argument. The output is the result of the last step."""

def _FusedMatMul(a: Any, b: Any, args: Any, transpose_a: Any = False, transpose_b: Any = False, fused_ops: Any = [], epsilon: Any = 0.0001, name: str | None = None) -> Any:
    """The product [m,n] of a [m,k] and b [k,n], followed by what fused_ops names: BiasAdd, whose bias [n] is in args, and then an activation."""

def _Recv(tensor_type: Any, tensor_name: Any, send_device: Any, send_device_incarnation: Any, recv_device: Any, client_terminated: Any = False, name: str | None = None) -> Any:
    """Gets the tensor that a _Send with the same attributes has sent, once it has."""

def _Retval(input: Any, index: Any, name: str | None = None) -> Any:
    """Makes `input` the fetch number `index` of a step."""

def _Send(tensor: Any, tensor_name: Any, send_device: Any, send_device_incarnation: Any, recv_device: Any, client_terminated: Any = False, name: str | None = None) -> Any:
    """Sends a tensor from `send_device` to `recv_device`, under `tensor_name`."""
