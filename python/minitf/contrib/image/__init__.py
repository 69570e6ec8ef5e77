"""Images: files, colours, sizes, geometry.

Compare: tensorflow/python/ops/image_ops.py. Read next: ``files.py``.
"""

HAS_OPS = True
LOADED = ()
DOCS = {"image": "``tf.image``: images ``[height, width, channels]``, or batches."}
PUBLIC = {
    "tf": """
        geometry: random_crop
        """,
    "io": """
        files: decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg
        files: decode_png encode_jpeg encode_png extract_jpeg_shape is_jpeg
        """,
    "image": """
        color: adjust_brightness adjust_contrast adjust_gamma adjust_hue
        color: adjust_saturation convert_image_dtype grayscale_to_rgb hsv_to_rgb
        color: image_gradients per_image_standardization psnr random_brightness
        color: random_contrast random_hue random_saturation rgb_to_grayscale rgb_to_hsv
        color: rgb_to_yiq rgb_to_yuv sobel_edges total_variation yiq_to_rgb yuv_to_rgb
        files: adjust_jpeg_quality decode_and_crop_jpeg decode_bmp decode_gif
        files: decode_image decode_jpeg decode_png encode_jpeg encode_png
        files: extract_jpeg_shape is_jpeg
        geometry: central_crop crop_to_bounding_box flip_left_right flip_up_down
        geometry: pad_to_bounding_box random_crop random_flip_left_right
        geometry: random_flip_up_down resize_image_with_crop_or_pad
        geometry: resize_with_crop_or_pad rot90 transpose_image
        resize: ResizeMethod resize resize_area resize_bicubic resize_bilinear
        resize: resize_image_with_pad resize_images resize_nearest_neighbor
        """,
}
